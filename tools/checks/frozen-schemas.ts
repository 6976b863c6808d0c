import type { Fault } from '../fault.ts'
import {
  entriesOf,
  type FrozenRecord,
  frozenFolders,
  hashFolder,
  readRecord,
  recordedFolders,
  recordPath,
} from '../frozen-record.ts'

/** The fault of a repository without a record. */
export const missingRecord: Fault = {
  path: recordPath,
  line: 1,
  message: 'missing: restore it; only where nothing was ever frozen, run npm run freeze -- --first',
}

/**
 * Schemas and fixtures of earlier profile versions equal the record byte for byte (Versioning, rule 3). Versions that the
 * code no longer knows are checked too.
 */
export function frozenSchemas(root: string): Fault[] {
  const record = readRecord(root)
  if (record === undefined) return [missingRecord]
  const folders = new Set([...frozenFolders(), ...recordedFolders(record)])
  return [...folders].flatMap((folder) =>
    differences(folder, entriesOf(record, folder), hashFolder(root, folder)),
  )
}

/** The differences between the recorded and the present files of one folder. */
export function differences(folder: string, recorded: FrozenRecord, present: FrozenRecord): Fault[] {
  if (Object.keys(recorded).length === 0) {
    return [{ path: recordPath, line: 1, message: `${folder} is not recorded: run npm run freeze` }]
  }
  const paths = new Set([...Object.keys(recorded), ...Object.keys(present)])
  return [...paths].flatMap((path) => {
    const message = difference(recorded[path], present[path])
    return message === undefined ? [] : [{ path, line: 1, message }]
  })
}

function difference(recorded: string | undefined, present: string | undefined): string | undefined {
  if (recorded === present) return undefined
  if (present === undefined) return 'is frozen and missing'
  if (recorded === undefined) return 'was added to a frozen version'
  return 'is frozen and was changed'
}
