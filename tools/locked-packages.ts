import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A third-party package of the lock file. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string | undefined
  readonly hasInstallScript: boolean
  /** Its key in the lock file. */
  readonly key: string
}

interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

/** The lock file as text. */
export function readLock(root: string): string {
  return readFileSync(join(root, 'package-lock.json'), 'utf8')
}

/** The third-party packages of production, sorted by name and version. Packages for development only are left out. */
export function productionPackages(lock: string): LockedPackage[] {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, LockEntry>> }
  return Object.entries(packages)
    .filter(([key, { link, dev }]) => key.startsWith('node_modules/') && link !== true && dev !== true)
    .map(([key, entry]) => toPackage(key, entry))
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

function toPackage(key: string, { version = '', license, hasInstallScript }: LockEntry): LockedPackage {
  const name = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return { name, version, licence: license, hasInstallScript: hasInstallScript === true, key }
}

// By code point: the order must not depend on the language of the machine.
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
