import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findClone, packClone } from '../packages/cli/src/init/clone.ts'
import { publishedWorkspaces, type Workspace } from './workspaces.ts'

/** The root of this repository. */
export const repositoryRoot = join(import.meta.dirname, '..')

/** The status and output of a command. */
export interface Ended {
  readonly status: number | null
  readonly output: string
}

/** A published workspace after `npm pack`. */
export interface Packed {
  readonly name: string
  readonly folder: string
  readonly tarball: string
  readonly packing: Ended
}

/** Packs all published workspaces into `destination`, each with its build, as for `npm publish`. */
export async function packAll(destination: string): Promise<Packed[]> {
  const copyTarballs = (folder: string): Ended => {
    cpSync(folder, destination, { recursive: true })
    return { status: 0, output: '' }
  }
  const packing = await packOnce().then(copyTarballs, (error) => ({ status: 1, output: String(error) }))
  return publishedWorkspaces(repositoryRoot).map((workspace) => packed(workspace, destination, packing))
}

/** The folder with the tarballs of all published packages. The first of several test processes packs, the others wait. */
export async function packOnce(): Promise<string> {
  const clone = findClone()
  if (clone === undefined) throw new Error(`${repositoryRoot} is not a clone of the repository`)
  const unlock = lockPacking()
  try {
    return await packClone(clone, [...clone.packages.values()], () => undefined)
  } finally {
    unlock()
  }
}

const PACKING_MS = 600_000

/** A lock of the kernel, which ends with this process. */
function lockPacking(): () => void {
  const folder = join(repositoryRoot, 'node_modules/.cache')
  mkdirSync(folder, { recursive: true })
  const holder = new DatabaseSync(join(folder, 'agentic-rest-packing.lock'), { timeout: PACKING_MS })
  holder.exec('BEGIN EXCLUSIVE')
  return () => holder.close()
}

function packed({ folder, manifest }: Workspace, destination: string, packing: Ended): Packed {
  const { name = folder, version } = manifest
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
  return { name, folder, tarball: join(destination, file), packing }
}

// A bill of materials needs a name and a version.
const consumer = { name: 'everything-of-agentic-rest', version: '0.0.0' }

/** Installs the tarballs together into an empty folder, like a user. */
export function installTogether(folder: string, packed: readonly Packed[]): Ended {
  const dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const manifest = { ...consumer, private: true, type: 'module', dependencies }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockWith(dependencies)))
  return run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
}

// The lock file names the tarballs in npm's cache: with it, no network is needed.
function lockWith(dependencies: Readonly<Record<string, string>>): object {
  const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean; dev?: boolean }>
  }
  const thirdParty = Object.entries(lock.packages).filter(
    ([path, { link, dev }]) => path.startsWith('node_modules/') && link !== true && dev !== true,
  )
  const packages = { '': { ...consumer, dependencies }, ...Object.fromEntries(thirdParty) }
  return { ...consumer, lockfileVersion: 3, requires: true, packages }
}

/** Runs a command to its end. */
export function run(command: string, args: readonly string[], cwd: string): Ended {
  // npm passes the folder of the repository to its scripts; a nested npm would install there.
  const { npm_config_local_prefix: _, ...inherited } = process.env
  // Warnings about npm settings of the machine are not part of the output.
  const env = { ...inherited, npm_config_loglevel: 'error' }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  return { status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` }
}

/** All import paths of a package; patterns such as `./schemas/*` are expanded from its files. */
export function importPaths(name: string, files: readonly string[], exports: object): string[] {
  return Object.entries(exports).flatMap(([key, target]) => {
    const own = key === '.' ? name : `${name}/${key.slice(2)}`
    if (!key.includes('*')) return [own]
    const [before = '', after = ''] = String(target).slice(2).split('*')
    return files
      .filter((file) => file.startsWith(before) && file.endsWith(after))
      .map((file) => own.replace('*', file.slice(before.length, file.length - after.length)))
  })
}
