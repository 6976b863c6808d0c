import { conditions } from '@agentic-rest/profile'
import { type Clone, type ClonePackage, packClone, tarballOf, withNeeds } from './clone.ts'
import { InitError } from './init-error.ts'
import type { Tarballs } from './installed-tarballs.ts'
import { runNpm } from './run-npm.ts'

/** The packages that a project names itself. */
export const directPackages = ['@agentic-rest/service', 'agentic-rest'] as const

/** The origin of the packages: asked of the registry by default. */
export type Wanted = 'registry' | 'vendor' | undefined

/** The packages of a project: plain versions, or tarballs for those that the registry lacks. */
export interface ChosenPackages {
  readonly version: string
  /** None for plain versions. */
  readonly tarballs: Tarballs | undefined
}

interface Options {
  readonly wanted: Wanted
  readonly version: string
  readonly progress: (message: string) => void
  /** The clone that the command runs in; undefined for an installed package. */
  readonly clone: Clone | undefined
  /** The tarballs that the command was installed from, if any. */
  readonly installed: Tarballs | undefined
  /** Replaced in tests. */
  readonly ask?: typeof askRegistry
}

/** Chooses plain versions where the registry has them; the other packages come from the clone or the installed tarballs. */
export async function choosePackages(options: Options): Promise<ChosenPackages> {
  const { wanted, version, progress, clone, ask = askRegistry } = options
  if (wanted === 'registry') return { version, tarballs: undefined }
  if (clone === undefined) return { version, tarballs: await installedTarballs(options) }
  const all = withNeeds(clone, directPackages)
  if (wanted === 'vendor') return { version, tarballs: await vendor(clone, all, progress) }
  const { registry, missing } = await ask(
    all.map(({ name }) => name),
    version,
  )
  if (missing.size === 0) return { version, tarballs: undefined }
  progress(`${absence(registry, missing, version)}: packing from this clone`)
  const lacking = all.filter(({ name }) => missing.has(name))
  return { version, tarballs: await vendor(clone, lacking, progress) }
}

/** Without a clone: a project that npm could not install is refused. */
async function installedTarballs(options: Options): Promise<Tarballs | undefined> {
  const { wanted, version, progress, installed, ask = askRegistry } = options
  const files = installed?.files ?? new Map<string, string>()
  const tarballs = directPackages.every((name) => files.has(name)) ? installed : undefined
  if (wanted === 'vendor') {
    if (tarballs !== undefined) return tarballs
    throw new InitError('--packages vendor needs a clone of the repository: run agentic init from there')
  }
  const { registry, missing } = await ask([...new Set([...directPackages, ...files.keys()])], version)
  if (missing.size === 0) return undefined
  const lack = absence(registry, missing, version)
  if (tarballs === undefined)
    throw new InitError(
      `${lack}: run agentic init in the folder of a clone, or add --packages registry for plain versions all the same`,
    )
  progress(`${lack}: copying the tarballs of this installation`)
  return tarballs
}

async function vendor(
  clone: Clone,
  packages: readonly ClonePackage[],
  progress: Options['progress'],
): Promise<Tarballs> {
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
