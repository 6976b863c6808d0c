import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { differences, missingRecord } from './checks/frozen-schemas.ts'
import { type Fault, formatFault } from './fault.ts'
import {
  entriesOf,
  type FrozenRecord,
  frozenFolders,
  hashFolder,
  readRecord,
  recordedFolders,
  recordPath,
} from './frozen-record.ts'
import { readFlags } from './read-flags.ts'

/** The result of freezing: the newly recorded folders, or the faults that prevented it. */
export interface Freezing {
  readonly frozen: readonly string[]
  readonly faults: readonly Fault[]
}

/**
 * Records the folders of earlier versions that are not recorded yet. Existing hashes are never rewritten. A missing record
 * is created only with `first`: a new record would accept changed files.
 */
export function freeze(root: string, { first }: { readonly first: boolean }): Freezing {
  const record = readRecord(root) ?? (first ? {} : undefined)
  if (record === undefined) return { frozen: [], faults: [missingRecord] }
  const recorded = recordedFolders(record)
  const open = frozenFolders().filter((folder) => !recorded.includes(folder))
  const faults = [
    ...recorded.flatMap((folder) => differences(folder, entriesOf(record, folder), hashFolder(root, folder))),
    ...open.filter((folder) => isEmpty(hashFolder(root, folder))).map(nothingToFreeze),
  ]
  if (faults.length > 0) return { frozen: [], faults }
  const added = open.map((folder) => hashFolder(root, folder))
  if (added.length > 0) writeRecord(root, Object.assign({}, record, ...added))
  return { frozen: open, faults }
}

function nothingToFreeze(folder: string): Fault {
  return { path: folder, line: 1, message: 'holds no files, so there is nothing to freeze' }
}

function isEmpty(record: FrozenRecord): boolean {
  return Object.keys(record).length === 0
}

function writeRecord(root: string, record: FrozenRecord): void {
  const sorted = Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(join(root, recordPath), `${JSON.stringify(sorted, null, 2)}\n`)
}

if (import.meta.main) {
  const flags = readFlags({
    command: 'npm run freeze',
    does: 'Records the hashes of published schemas, so that changes to them are noticed.',
    flags: { first: 'Creates the record. Only for a repository that never had one.' },
  })
  const { frozen, faults } = freeze(process.cwd(), flags)
  for (const folder of frozen) process.stdout.write(`recorded ${folder}\n`)
  for (const fault of faults) process.stderr.write(`${formatFault(fault)}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
