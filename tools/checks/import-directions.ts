import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { Fault } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { type ModuleUse, modulesUsed, readSource } from '../source-file.ts'
import { readWorkspaces, type Workspace } from '../workspaces.ts'

/** Allowed imports of each workspace. Folders without a row (bench, chaos, tests, tools) may import anything. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  'packages/profile': [],
  // It could serve any proxy, so that it knows nothing about agents.
  'packages/http1': [],
  // The MCP facade is loaded by `import()`, and only when a configuration has its section.
  'packages/audit-log': ['packages/profile'],
  'packages/gateway': ['packages/profile', 'packages/audit-log', 'packages/http1', 'packages/mcp'],
  'packages/client': ['packages/profile'],
  'packages/service': ['packages/profile', 'packages/audit-log', 'packages/client'],
  'packages/conformance': ['packages/profile'],
  'packages/mcp': ['packages/profile'],
  'packages/console': ['packages/profile', 'packages/client'],
  // The stack is the only published example: `agentic dev` starts it.
  'packages/cli': ['packages/*', 'examples/stack'],
  // Starters for tests: only tests may import it, so it can import everything that they start.
  'packages/testing': ['packages/*', 'examples/*'],
  // Not the profile: an example that needs it shows a gap in service or client.
  'examples/*': ['packages/service', 'packages/client', 'packages/gateway'],
}

// One room towards clients touches the wire, and towards services only packages/http1, so that either can be replaced.
const wires = [
  { modules: ['http', 'https', 'http2', 'net', 'tls'], homes: ['packages/gateway/src/listen/'] },
  { modules: ['redis'], homes: ['packages/gateway/src/redis/redis-client.ts'] },
] as const

const testing = 'packages/testing'

interface Repo {
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly folderByName: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, readonly ModuleUse[]>
  readonly profileMainEntry: ReadonlySet<string>
}

interface Import {
  readonly path: string
  /** The workspace of the importing file, such as `packages/gateway`. */
  readonly room: string
  readonly specifier: string
  /** The package of a bare import, without the `node:` of a builtin; undefined for a relative import. */
  readonly module: string | undefined
}

type Rule = (use: Import, repo: Repo) => string | undefined

const rules: readonly Rule[] = [
  leavesItsPackage,
  shipsATestStarter,
  goesTheWrongWay,
  touchesTheWire,
  needsNodeInTheBrowser,
  loadsMoreThanTheProfile,
  isNotDeclared,
]

/** Every import of a package is allowed by the table and declared in its package.json. */
export function importDirections(root: string): Fault[] {
  const repo = readRepo(root)
  return [...repo.files].flatMap(([path, uses]) => uses.flatMap((use) => judge(path, use, repo)))
}

function judge(path: string, { specifier, line }: ModuleUse, repo: Repo): Fault[] {
  const room = roomOf(path)
  const use: Import = { path, room, specifier, module: moduleOf(specifier) }
  return rules.flatMap((rule) => {
    const message = rule(use, repo)
    return message === undefined ? [] : [{ path, line, message }]
  })
}

function readRepo(root: string): Repo {
  const workspaces = readWorkspaces(root)
  const files = new Map(
    listSources(root, ['packages', 'examples']).map((path) => [path, modulesUsed(readSource(root, path))]),
  )
  return {
    workspaces: new Map(workspaces.map((workspace) => [workspace.folder, workspace])),
    folderByName: new Map(workspaces.map(({ folder, manifest }) => [manifest.name ?? folder, folder])),
    files,
    profileMainEntry: reachableFrom('packages/profile/src/index.ts', files),
  }
}

function reachableFrom(entry: string, files: Repo['files']): Set<string> {
  const reached = new Set<string>([entry])
  for (const path of reached) {
    for (const { specifier } of files.get(path) ?? []) {
      if (specifier.startsWith('.')) reached.add(target(path, specifier))
    }
  }
  return reached
}

function leavesItsPackage({ path, room, specifier }: Import): string | undefined {
  if (/^(\/|file:)/.test(specifier)) return `'${specifier}' is an absolute path`
  if (!specifier.startsWith('.') || target(path, specifier).startsWith(`${room}/`)) return undefined
  return `'${specifier}' leaves ${room}: import the other package by its name`
}

function shipsATestStarter({ path, module }: Import, { folderByName }: Repo): string | undefined {
  if (module === undefined || folderByName.get(module) !== testing || isTestFile(path)) return undefined
  return `only tests may import ${module}`
}

function goesTheWrongWay({ room, module }: Import, { folderByName }: Repo): string | undefined {
  const goal = module === undefined ? undefined : folderByName.get(module)
  if (goal === undefined || goal === room || goal === testing) return undefined
  const allowed = mayImport[room] ?? mayImport[`${posix.dirname(room)}/*`]
  if (allowed === undefined) return `${room} has no row in the table of import directions`
  const isAllowed = allowed.some((row) => row === goal || row === `${posix.dirname(goal)}/*`)
  return isAllowed ? undefined : `${room} may not import ${module}`
}

function touchesTheWire({ path, module }: Import): string | undefined {
  if (!isShippedSource(path, 'packages/gateway') || module === undefined) return undefined
  const wire = wires.find(({ modules }) => modules.some((name) => name === module))
  if (wire === undefined || wire.homes.some((home) => path.startsWith(home))) return undefined
  return `only ${wire.homes.join(' and ')} may import ${module}`
}

function needsNodeInTheBrowser({ path, specifier }: Import): string | undefined {
  if (!isShippedSource(path, 'packages/client') || !isBuiltin(specifier)) return undefined
  return `'${specifier}' does not exist in a browser, where packages/client has to run`
}

function loadsMoreThanTheProfile({ path, module }: Import, { profileMainEntry }: Repo): string | undefined {
  if (module === undefined || !profileMainEntry.has(path)) return undefined
  return `the main entry of the profile depends on nothing, and reaches '${module}' here`
}

function isNotDeclared({ path, room, module, specifier }: Import, { workspaces }: Repo): string | undefined {
  if (module === undefined || isBuiltin(specifier)) return undefined
  if (!isShippedSource(path, room) && room !== testing) return undefined
  const manifest = workspaces.get(room)?.manifest
  const declared = {
    ...manifest?.dependencies,
    // What is never published has only these, and the lock file then says of each whether users get it.
    ...(room === testing && manifest?.devDependencies),
    ...manifest?.optionalDependencies,
    ...manifest?.peerDependencies,
  }
  if (module === manifest?.name || Object.hasOwn(declared, module)) return undefined
  return `${module} is not among the dependencies of ${room}/package.json`
}

function isShippedSource(path: string, room: string): boolean {
  return path.startsWith(`${room}/src/`) && !isTestFile(path)
}

function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function target(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

function moduleOf(specifier: string): string | undefined {
  if (/^[./#]|^file:/.test(specifier)) return undefined
  const bare = specifier.replace(/^node:/, '')
  return bare.split('/', bare.startsWith('@') ? 2 : 1).join('/')
}
