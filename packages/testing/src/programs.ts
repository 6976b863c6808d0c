import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** How `npm run test:setup` installs a program. Paths are below the root of the repository. */
export type Source =
  | { readonly from: 'debian'; readonly package: string; readonly folders?: readonly string[] }
  | { readonly from: 'python'; readonly requirements: string }
  | { readonly from: 'npm'; readonly folder: string; readonly file: string }
  | { readonly from: 'go'; readonly module: string }
  | { readonly from: 'go-source'; readonly folder: string }

const postgresFolders = ['/usr/lib/postgresql/*/bin']

/** All programs from outside `node_modules` that tests, runs and benchmarks use. */
export const programs = {
  apache2: { from: 'debian', package: 'apache2' },
  bash: { from: 'debian', package: 'bash' },
  buildah: { from: 'debian', package: 'buildah' },
  chromium: { from: 'debian', package: 'chromium' },
  curl: { from: 'debian', package: 'curl' },
  fish: { from: 'debian', package: 'fish' },
  git: { from: 'debian', package: 'git' },
  go: { from: 'debian', package: 'golang-go', folders: ['/usr/local/go/bin'] },
  h2load: { from: 'debian', package: 'nghttp2-client' },
  haproxy: { from: 'debian', package: 'haproxy' },
  initdb: { from: 'debian', package: 'postgresql', folders: postgresFolders },
  nginx: { from: 'debian', package: 'nginx-light' },
  postgres: { from: 'debian', package: 'postgresql', folders: postgresFolders },
  prometheus: { from: 'debian', package: 'prometheus' },
  promtool: { from: 'debian', package: 'prometheus' },
  'redis-server': { from: 'debian', package: 'redis-server' },
  script: { from: 'debian', package: 'bsdutils' },
  strace: { from: 'debian', package: 'strace' },
  'systemd-analyze': { from: 'debian', package: 'systemd' },
  taskset: { from: 'debian', package: 'util-linux' },
  wrk: { from: 'debian', package: 'wrk' },
  zsh: { from: 'debian', package: 'zsh' },
  'check-jsonschema': { from: 'python', requirements: 'tests/deploy/check-jsonschema-requirements.txt' },
  hadolint: { from: 'python', requirements: 'tests/deploy/hadolint-requirements.txt' },
  'kubernetes-validate': {
    from: 'python',
    requirements: 'tests/deploy/kubernetes-validate-requirements.txt',
  },
  /** The official MCP client for Python. */
  mcp: { from: 'python', requirements: 'tests/mcp/requirements.txt' },
  schemathesis: { from: 'python', requirements: 'tests/schemathesis/requirements.txt' },
  // It has an install script, so it cannot be a dependency of the repository.
  'mcp-inspector': {
    from: 'npm',
    folder: 'tests/mcp/inspector',
    file: 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  },
  helm: { from: 'go', module: 'helm.sh/helm/v3/cmd/helm@v3.22.0' },
  /** A verifier of sealed logs that shares no code with ours. */
  'sealed-log-verifier': { from: 'go-source', folder: 'tests/sealed-audit/go' },
} as const satisfies Readonly<Record<string, Source>>

/** The name of a program of the table. */
export type ProgramName = keyof typeof programs

/** The root of this repository. */
const repositoryRoot = join(import.meta.dirname, '../../..')

/** The path of a program of the table, if it is there. */
export function findProgram(name: ProgramName): string | undefined {
  const source: Source = programs[name]
  if (source.from === 'debian') return findOnPath(name, source.folders)
  const installed = installedFile(name)
  if (existsSync(installed)) return installed
  // A tool of operators may be there in another way. All others are the versions of their files or none.
  return source.from === 'go' ? findOnPath(name) : undefined
}

/** The path of any program of the machine, by its name. `folders` are globs of folders outside the PATH. */
export function findOnPath(program: string, folders: readonly string[] = []): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...globSync([...folders])]
  return places.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

/** A program that is needed is not there. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError'
}

/** The path of a program that must be there. */
export function programPath(name: ProgramName): string {
  const path = findProgram(name)
  if (path === undefined) throw new MissingProgramError(missingProgram(name))
  return path
}

/** The first of some programs that is missing, with the way to get it; undefined if all are there. */
export function missingPrograms(names: readonly ProgramName[]): string | undefined {
  const missing = names.find((name) => findProgram(name) === undefined)
  return missing === undefined ? undefined : missingProgram(missing)
}

function missingProgram(name: ProgramName): string {
  return `${name} is missing; npm run test:setup installs it`
}

/**
 * The folder of a program that does not come from Debian: for this user, outside the repository. A new version has a new
 * folder, because the name contains a digest of the files that fix the version.
 */
export function installFolder(name: ProgramName): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const digest = createHash('sha256').update(versionOf(programs[name])).digest('hex').slice(0, 12)
  return join(cache, 'agentic-rest', `${name}-${digest}`)
}

function versionOf(source: Source): string {
  const read = (...path: string[]) => readFileSync(join(repositoryRoot, ...path), 'utf8')
  switch (source.from) {
    case 'debian':
      return source.package
    case 'python':
      return read(source.requirements)
    case 'npm':
      return read(source.folder, 'package-lock.json')
    case 'go':
      return source.module
    case 'go-source':
      return ['go.mod', 'go.sum', 'main.go'].map((file) => read(source.folder, file)).join('\n')
  }
}

/** The path that an installed program has, if it does not come from Debian. */
export function installedFile(name: ProgramName): string {
  const source: Source = programs[name]
  switch (source.from) {
    case 'debian':
      throw new Error(`the place of ${name} is Debian's choice`)
    case 'python':
      return join(installFolder(name), 'bin', name)
    case 'npm':
      return join(installFolder(name), source.file)
    case 'go':
    case 'go-source':
      return join(installFolder(name), name)
  }
}
