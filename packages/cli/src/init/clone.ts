import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseOwnJson } from '@agentic-rest/profile'
import { InitError } from './init-error.ts'
import { runNpm } from './run-npm.ts'

/** A package of a clone that is published. */
export interface ClonePackage {
  readonly name: string
  readonly version: string
  /** Relative to the root, for example `packages/profile`. */
  readonly folder: string
  /** The packages of the clone that it needs. */
  readonly needs: readonly string[]
}

/** A clone of this repository, with its published packages by name. */
export interface Clone {
  readonly root: string
  readonly packages: ReadonlyMap<string, ClonePackage>
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
// The build's project file is in the repository and not in the published package.
const MARK = 'packages/cli/tsconfig.build.json'

/** The clone that this program runs in; undefined for an installed package. */
export function findClone(): Clone | undefined {
  return existsSync(join(ROOT, MARK)) ? readClone(ROOT) : undefined
}

function readClone(root: string): Clone {
  const manifests = globSync('{packages,examples}/*/package.json', { cwd: root }).map((file) => ({
    folder: join(file, '..'),
    manifest: parseOwnJson(readFileSync(join(root, file), 'utf8')) as Manifest,
  }))
  const published = manifests.filter(({ manifest }) => manifest.private !== true)
  const names = new Set(published.map(({ manifest }) => manifest.name))
  const packages = published.map(({ folder, manifest: { name, version, dependencies = {} } }) => {
    const needs = Object.keys(dependencies).filter((each) => names.has(each))
    return [name, { name, version, folder, needs }] as const
  })
  return { root, packages: new Map(packages) }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The named packages and all packages of the clone that they need, sorted by name. */
export function withNeeds({ packages }: Clone, names: readonly string[]): ClonePackage[] {
  const found = new Map<string, ClonePackage>()
  const add = (name: string): void => {
    const each = packages.get(name)
    if (each === undefined || found.has(name)) return
    found.set(name, each)
    each.needs.forEach(add)
  }
  names.forEach(add)
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The file name that `npm pack` gives a package. */
export function tarballOf({ name, version }: Pick<ClonePackage, 'name' | 'version'>): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/**
 * Builds and packs packages of a clone; resolves with the folder of the tarballs. Tarballs of unchanged sources are kept
 * below node_modules and used again. The clone itself is not touched: a stack that runs from it keeps its builds.
 */
export async function packClone(
  clone: Clone,
  packages: readonly ClonePackage[],
  progress: (message: string) => void,
): Promise<string> {
  const kept = join(clone.root, 'node_modules/.cache/agentic-rest', hashSources(clone.root))
  if (packages.every((each) => existsSync(join(kept, tarballOf(each))))) return kept
  if (!existsSync(join(clone.root, 'node_modules')))
    throw new InitError(`${clone.root} has no node_modules: run npm install there first`, 'failed')
  const work = mkdtempSync(join(tmpdir(), 'agentic-pack-'))
  try {
    const copy = copyClone(clone, join(work, 'clone'))
    const tarballs = join(work, 'tarballs')
    mkdirSync(tarballs)
    await pack(copy, tarballs, { packages, progress })
    // Another init may have kept the same in the meantime; both are equal.
    rmSync(kept, { recursive: true, force: true })
    mkdirSync(join(kept, '..'), { recursive: true })
    cpSync(tarballs, `${kept}.new`, { recursive: true })
    renameSync(`${kept}.new`, kept)
    removeOld(kept)
    return kept
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const KEPT_MS = 3_600_000

/** Removes tarballs of older sources; those of the last hour may still be in use. */
function removeOld(kept: string): void {
  const folder = join(kept, '..')
  for (const old of globSync('*', { cwd: folder }).map((name) => join(folder, name))) {
    const { mtimeMs = Date.now() } = statSync(old, { throwIfNoEntry: false }) ?? {}
    if (old !== kept && Date.now() - mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true })
  }
}

const built = new Set(['node_modules', 'dist', 'coverage', '.agentic'])
const rootFiles = ['package.json', 'package-lock.json', 'tsconfig.base.json', '.npmrc']

/** Whether a build needs a path below the root. The tests of a package are left out; the tests in its template are packed. */
function isSource(path: string): boolean {
  const parts = path.split(sep)
  return !parts.some((part) => built.has(part)) && parts[2] !== 'test'
}

function hashSources(root: string): string {
  const hash = createHash('sha256')
  const files = globSync('{packages,examples}/**', {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => built.has(name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => isSource(relative(root, file)))
  for (const file of [...files, ...rootFiles.map((name) => join(root, name))].toSorted())
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}

/** Copies the sources; installed packages are linked. */
function copyClone({ root }: Clone, copy: string): string {
  mkdirSync(copy)
  for (const name of rootFiles) cpSync(join(root, name), join(copy, name))
  for (const folder of ['packages', 'examples'])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => isSource(relative(root, path)),
    })
  for (const folder of ['.', ...globSync('{packages,examples}/*', { cwd: root })]) {
    const installed = join(root, folder, 'node_modules')
    if (existsSync(installed)) symlinkSync(installed, join(copy, folder, 'node_modules'))
  }
  return copy
}

interface Packing {
  readonly packages: readonly ClonePackage[]
  readonly progress: (message: string) => void
}

async function pack(copy: string, tarballs: string, { packages, progress }: Packing): Promise<void> {
  let count = 0
  const onLine = (line: string) => {
    const [, name] = /^> (\S+)@\S+ prepack$/.exec(line) ?? []
    if (name === undefined) return
    count += 1
    progress(`  ${String(count).padStart(2)} of ${packages.length}  ${name}`)
  }
  // The repository turns install scripts off; here `prepack` is the build.
  const options = ['--ignore-scripts=false', '--foreground-scripts', '--pack-destination', tarballs]
  const chosen = packages.map(({ folder }) => `--workspace=${folder}`)
  const { code, output } = await runNpm(['pack', ...options, ...chosen], { cwd: copy, onLine })
  if (code !== 0) throw new InitError(`the packages could not be packed:\n${output.trimEnd()}`, 'failed')
}
