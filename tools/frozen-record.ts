import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PROFILE_VERSION, profileVersions } from '@agentic-rest/profile'

/** The file with the hashes of frozen files. */
export const recordPath = 'packages/profile/frozen.json'

/** The SHA-256 of each frozen file, by its path in the repository. */
export type FrozenRecord = Readonly<Record<string, string>>

/** The frozen folders: schemas and fixtures of all versions before the current one (Versioning, rule 3). */
export function frozenFolders(): string[] {
  return profileVersions
    .filter((version) => version !== PROFILE_VERSION)
    .flatMap((version) => [`packages/profile/schemas/${version}`, `packages/profile/fixtures/${version}`])
}

/** The hashes of a folder's present files. */
export function hashFolder(root: string, folder: string): FrozenRecord {
  if (!existsSync(join(root, folder))) return {}
  // Hidden files too: an extra file is a change like a missing one.
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  return Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(root, path)))]))
}

/** The recorded hashes; undefined without a record. */
export function readRecord(root: string): FrozenRecord | undefined {
  const path = join(root, recordPath)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** The folders of a record, one per version and kind. */
export function recordedFolders(record: FrozenRecord): string[] {
  const depth = 'packages/profile/schemas/v0.1'.split('/').length
  return [...new Set(Object.keys(record).map((path) => path.split('/').slice(0, depth).join('/')))]
}

/** The entries of one folder. */
export function entriesOf(record: FrozenRecord, folder: string): FrozenRecord {
  return Object.fromEntries(Object.entries(record).filter(([path]) => path.startsWith(`${folder}/`)))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
