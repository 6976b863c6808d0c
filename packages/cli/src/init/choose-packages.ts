import { conditions } from '@agentic-rest/profile'
import { type Clone, type ClonePackage, packClone, tarballOf, withNeeds } from './clone.ts'
import { InitError } from './init-error.ts'
import { runNpm } from './run-npm.ts'

/** The packages that a project names itself. */
export const directPackages = ['@agentic-rest/service', 'agentic-rest'] as const

/** The origin of the packages: asked of the registry by default. */
export type Wanted = 'registry' | 'vendor' | undefined

/** The packages of a project: plain versions, or tarballs for those that the registry lacks. */
export interface ChosenPackages {
  readonly version: string
  /** The folder of the tarballs, and their file names by package; none for plain versions. */
  readonly tarballs: { readonly folder: string; readonly files: ReadonlyMap<string, string> } | undefined
  readonly notes: readonly string[]
}

interface Options {
  readonly wanted: Wanted
  readonly version: string
  readonly progress: (message: string) => void
  /** The clone that the command runs in; undefined for an installed package. */
  readonly clone: Clone | undefined
  /** Replaced in tests. */
  readonly ask?: typeof askRegistry
}

/** Chooses plain versions where the registry has them, and packs the missing packages from the clone. */
export async function choosePackages(options: Options): Promise<ChosenPackages> {
  const { wanted, version, progress, clone, ask = askRegistry } = options
  const plain = { version, tarballs: undefined, notes: [] }
  if (wanted === 'registry') return plain
  if (wanted === 'vendor' && clone === undefined)
    throw new InitError('--packages vendor needs a clone of the repository: run agentic init from there')
  const all = clone === undefined ? [] : withNeeds(clone, directPackages)
  if (wanted === 'vendor') return { ...plain, tarballs: await vendor(clone, all, progress) }
  const names = clone === undefined ? directPackages : all.map(({ name }) => name)
  const { registry, missing } = await ask(names, version)
  if (missing.size === 0) return plain
  if (clone === undefined) return { ...plain, notes: [absence(registry, missing, version)] }
  progress(`${absence(registry, missing, version)}: packing from this clone`)
  const lacking = all.filter(({ name }) => missing.has(name))
  return { ...plain, tarballs: await vendor(clone, lacking, progress) }
}

async function vendor(
  clone: Clone | undefined,
  packages: readonly ClonePackage[],
  progress: Options['progress'],
): Promise<ChosenPackages['tarballs']> {
  if (clone === undefined) return undefined
  const folder = await packClone(clone, packages, progress)
  return { folder, files: new Map(packages.map((each) => [each.name, tarballOf(each)])) }
}

/** The answer of a registry. */
export interface RegistryAnswer {
  readonly registry: string
  /** The packages that it lacks in this version, with the reason. */
  readonly missing: ReadonlyMap<string, 'not found' | 'no answer'>
}

function absence(registry: string, missing: RegistryAnswer['missing'], version: string): string {
  const [first = ''] = missing.keys()
  const more = missing.size - 1
  const others = more === 0 ? '' : ` and ${more} more package${more === 1 ? '' : 's'}`
  const isSilent = [...missing.values()].includes('no answer')
  return `${registry} ${isSilent ? 'does not say whether it has' : 'does not have'} ${first} ${version}${others}`
}

const DEFAULT_REGISTRY = 'https://registry.npmjs.org/'
const NPM_MS = 5_000
const ANSWER_MS = 3_000

/** Asks the registry that npm uses for packages in one version. */
export async function askRegistry(names: readonly string[], version: string): Promise<RegistryAnswer> {
  const { code, stdout } = await runNpm(['config', 'get', 'registry'], {
    cwd: process.cwd(),
    signal: AbortSignal.timeout(NPM_MS),
  })
  const configured = stdout.trim().replace(/\/*$/, '/')
  const registry = code === 0 && URL.canParse(configured) ? configured : DEFAULT_REGISTRY
  const answers = await Promise.all(
    names.map(async (name) => [name, await lookUp(new URL(addressOf(name, version), registry))] as const),
  )
  const missing = answers.flatMap(([name, state]) => (state === 'found' ? [] : [[name, state] as const]))
  return { registry, missing: new Map(missing) }
}

function addressOf(name: string, version: string): string {
  return `./${name.replace('/', '%2f')}/${version}`
}

async function lookUp(url: URL): Promise<'found' | 'not found' | 'no answer'> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    await response.body?.cancel()
    if (response.ok) return 'found'
    return response.status === conditions.not_found ? 'not found' : 'no answer'
  } catch {
    return 'no answer'
  }
}
