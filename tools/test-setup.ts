import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  findProgram,
  installedFile,
  installFolder,
  type ProgramName,
  programs,
  type Source,
} from '@agentic-rest/testing/programs'
import { readFlags } from './read-flags.ts'

const root = join(import.meta.dirname, '..')

/** A command and the folder that it runs in. */
interface Command {
  readonly words: readonly [string, ...string[]]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** One thing to install: the programs that it brings, and its commands. */
interface Installation {
  readonly names: readonly ProgramName[]
  readonly what: string
  readonly needsRoot: boolean
  /** Removed before the commands run and when one of them fails: a half installed folder must not look complete. */
  readonly folder?: string
  readonly commands: readonly Command[]
}

const names = Object.keys(programs) as ProgramName[]

/** What is missing on this machine, all packages of Debian in one step. */
function missingInstallations(): Installation[] {
  const missing = names.filter((name) => findProgram(name) === undefined)
  const debian = missing.filter((name) => programs[name].from === 'debian')
  const others = missing.filter((name) => programs[name].from !== 'debian')
  return [...(debian.length === 0 ? [] : [fromDebian(debian)]), ...others.map(intoFolder)]
}

function fromDebian(missing: readonly ProgramName[]): Installation {
  const packageOf = (source: Source) => (source.from === 'debian' ? [source.package] : [])
  const packages = [...new Set(missing.flatMap((name) => packageOf(programs[name])))].toSorted()
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  return {
    names: missing,
    what: `Debian packages ${packages.join(', ')}`,
    needsRoot: true,
    commands: [
      { words: ['apt-get', 'update', '-q'], env },
      { words: ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages], env },
    ],
  }
}

function intoFolder(name: ProgramName): Installation {
  const source: Source = programs[name]
  const folder = installFolder(name)
  const common = { names: [name], needsRoot: false, folder }
  switch (source.from) {
    case 'debian':
      throw new Error(`${name} is installed with the other packages of Debian`)
    case 'python':
      return {
        ...common,
        what: `${name} for Python, from ${source.requirements}`,
        commands: [
          { words: ['python3', '-m', 'venv', folder] },
          // Wheels only: building a source package may run any code.
          {
            words: [
              join(folder, 'bin/pip'),
              ...['install', '-q', '--disable-pip-version-check', '--only-binary', ':all:'],
              ...['-r', join(root, source.requirements)],
            ],
          },
        ],
      }
    case 'npm':
      return {
        ...common,
        what: `${name} with npm, from ${source.folder}`,
        commands: [
          {
            words: ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev'],
            cwd: folder,
          },
        ],
      }
    case 'go':
      return {
        ...common,
        what: `${name} with Go, ${source.module}`,
        commands: [{ words: ['go', 'install', source.module], env: { GOBIN: folder } }],
      }
    case 'go-source':
      return {
        ...common,
        what: `${name} with Go, from ${source.folder}`,
        commands: [
          { words: ['go', 'build', '-o', installedFile(name), '.'], cwd: join(root, source.folder) },
        ],
      }
  }
}

/** Installs one thing; resolves to the reason if that fails. */
function install({ names: [name], folder, needsRoot, commands }: Installation): string | undefined {
  if (needsRoot && process.getuid?.() !== 0)
    return `it needs root. As root: ${commands.map(({ words }) => words.join(' ')).join(' && ')}`
  if (folder !== undefined && name !== undefined) prepare(name, folder)
  const failed = commands.find((command) => !succeeds(command))
  if (failed === undefined) return undefined
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  return `${failed.words.join(' ')} failed`
}

function prepare(name: ProgramName, folder: string): void {
  const source: Source = programs[name]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if (source.from !== 'npm') return
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, source.folder, file), join(folder, file))
}

function succeeds({ words: [program, ...args], cwd, env }: Command): boolean {
  // The PATH of npm scripts has no /usr/local/go/bin on some machines; the table knows where Go is.
  const path = program === 'go' ? (findProgram('go') ?? program) : program
  const { status } = spawnSync(path, args, {
    ...(cwd !== undefined && { cwd }),
    // npm passes its own settings to scripts, among them the folder of this repository.
    env: { ...withoutNpm(process.env), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return status === 0
}

function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_')))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const flags = readFlags({
  command: 'npm run test:setup',
  does: 'Installs the programs that `npm run test:all` needs and this machine does not have.',
  flags: { dry: 'Prints what it would install.' },
})
const installations = missingInstallations()
if (installations.length === 0) print(`All ${names.length} programs are there.`)
for (const { what } of installations) print(`${flags.dry ? 'Would install' : 'To install'}: ${what}`)
if (!flags.dry) installAll()

function installAll(): void {
  const failures = installations.flatMap((installation) => {
    print(`\nInstalling ${installation.what}`)
    const reason = install(installation)
    return reason === undefined ? [] : [`Not installed: ${installation.what}: ${reason}`]
  })
  for (const failure of failures) process.stderr.write(`${failure}\n`)
  const stillMissing = names.filter((name) => findProgram(name) === undefined)
  if (stillMissing.length > 0) process.stderr.write(`Still missing: ${stillMissing.join(', ')}\n`)
  process.exitCode = stillMissing.length === 0 ? 0 : 1
}
