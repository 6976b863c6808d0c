import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listFiles } from './repo-files.ts'

/** The parts of a package.json that the tools read. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly private?: boolean
  readonly description?: string
  readonly license?: string
  readonly type?: string
  readonly engines?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly files?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** One npm workspace: its folder (`packages/profile`) and its package.json, as text and parsed. */
export interface Workspace {
  readonly folder: string
  readonly text: string
  readonly manifest: Manifest
}

/** All workspaces of the repository, sorted by folder. */
export function readWorkspaces(root: string): Workspace[] {
  return listFiles(root, ['{packages,examples}/*/package.json']).map((path) =>
    readManifest(root, dirname(path)),
  )
}

/** The published workspaces: all that are not private. */
export function publishedWorkspaces(root: string): Workspace[] {
  return readWorkspaces(root).filter(({ manifest }) => manifest.private !== true)
}

/** The package.json of one folder; `.` is the root. */
export function readManifest(root: string, folder: string): Workspace {
  const text = readFileSync(join(root, folder, 'package.json'), 'utf8')
  return { folder, text, manifest: JSON.parse(text) }
}
