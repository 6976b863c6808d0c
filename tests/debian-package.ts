import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'

/** A program that a test needs, with its Debian package. */
export interface DebianProgram {
  readonly program: string
  readonly package: string
  /** Globs of folders outside the PATH, for example those of PostgreSQL's versions. */
  readonly folders?: readonly string[]
}

/** The path of a program, or the reason for its absence and how to install it. */
export type Availability = { readonly path: string } | { readonly missing: string }

/** A test that needs a program. Without the program it is skipped by name, with a hint how to enable it; CI skips none. */
export function testWithProgram(
  needed: DebianProgram,
  title: string,
  body: (path: string) => void | Promise<void>,
): void {
  const found = ensureProgram(needed)
  if ('path' in found) test(title, () => body(found.path))
  else if (isCi()) test(title, () => expect.fail(found.missing))
  else skip(`${title} (${found.missing})`)
}

// The reporter lists skipped tests only beside failed ones.
function skip(title: string): void {
  process.stderr.write(`skipped: ${title}\n`)
  test.skip(title, () => undefined)
}

/** Finds a program; installs its package if it is missing and the machine allows it. */
export function ensureProgram(needed: DebianProgram): Availability {
  const before = findProgram(needed)
  if (before !== undefined) return { path: before }
  const obstacle = obstacleToInstalling() ?? install(needed.package)
  const path = findProgram(needed)
  if (path !== undefined) return { path }
  const reason = obstacle === undefined ? '' : ` and ${obstacle}`
  return { missing: `${needed.program} is missing${reason}; enable with: apt-get install ${needed.package}` }
}

/** The path of a program, if it is there. */
export function findProgram({ program, folders = [] }: DebianProgram): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...globSync([...folders])]
  return places.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

// Debian starts a service right after its installation, which would be a surprise on a developer's machine. In a container
// nothing starts it.
function obstacleToInstalling(): string | undefined {
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get'
  if (process.getuid?.() !== 0) return 'only root may install it'
  return existsSync('/run/systemd/system') && !isCi() ? 'it would be started as a service here' : undefined
}

const lockFile = join(tmpdir(), 'agentic-apt.lock')
const installScript = 'apt-get install -y -q --no-install-recommends "$1"'
const script = `${installScript} || { apt-get update -q && ${installScript}; }`
const MAX_INSTALL_MS = 300_000

/** Installs one package at a time: test files run in parallel, apt-get does not. */
function install(name: string): string | undefined {
  const { status } = spawnSync('flock', [lockFile, 'sh', '-c', script, 'sh', name], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    timeout: MAX_INSTALL_MS,
  })
  return status === 0 ? undefined : 'installing it failed'
}

function isCi(): boolean {
  return ['true', '1'].includes(process.env['CI'] ?? '')
}
