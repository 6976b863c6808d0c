import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PROFILE_VERSION, profileVersions } from '@agentic-rest/profile'

/** Where the hashes of frozen files are recorded. */
export const recordPath = 'packages/profile/frozen.json'

/** Path of a frozen file, relative to the repository, to the SHA-256 of its bytes. */
export type FrozenRecord = Readonly<Record<string, string>>

/** The folders that never change: schemas and fixtures of each version before the current one (Versioning, rule 3). */
export function frozenFolders(): string[] {
  return profileVersions
    .filter((version) => version !== PROFILE_VERSION)
    .flatMap((version) => [`packages/profile/schemas/${version}`, `packages/profile/fixtures/${version}`])
}

/** What a folder holds now, as record entries. */
export function hashFolder(root: string, folder: string): FrozenRecord {
  if (!existsSync(join(root, folder))) return {}
  // Every file counts, hidden ones too: an extra one changes the set as much as a missing one.
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  return Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(root, path)))]))
}

/** The recorded hashes, or undefined when nothing was ever recorded. */
export function readRecord(root: string): FrozenRecord | undefined {
  const path = join(root, recordPath)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** The folders that a record knows, one per version and kind. */
export function recordedFolders(record: FrozenRecord): string[] {
  const depth = 'packages/profile/schemas/v0.1'.split('/').length
  return [...new Set(Object.keys(record).map((path) => path.split('/').slice(0, depth).join('/')))]
}

/** The entries of a record that lie in one folder. */
export function entriesOf(record: FrozenRecord, folder: string): FrozenRecord {
  return Object.fromEntries(Object.entries(record).filter(([path]) => path.startsWith(`${folder}/`)))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
