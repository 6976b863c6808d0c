import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'

/** A program that a test needs, and the Debian package it comes in. */
export interface DebianProgram {
  readonly program: string
  readonly package: string
  /** Globs of folders outside the PATH where the package puts it, for example those of PostgreSQL's versions. */
  readonly folders?: readonly string[]
}

/** Where a program is, or why it is not there and what to do about that. */
export type Availability = { readonly path: string } | { readonly missing: string }

/** A test that needs a program. Where it cannot be had the test is skipped by name, with how to enable it; CI skips none. */
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

// The reporter names skipped tests only where others fail.
function skip(title: string): void {
  process.stderr.write(`skipped: ${title}\n`)
  test.skip(title, () => undefined)
}

/** Finds a program, and installs its package first where it is missing and the machine allows that. */
export function ensureProgram(needed: DebianProgram): Availability {
  const before = findProgram(needed)
  if (before !== undefined) return { path: before }
  const obstacle = obstacleToInstalling() ?? install(needed.package)
  const path = findProgram(needed)
  if (path !== undefined) return { path }
  const reason = obstacle === undefined ? '' : ` and ${obstacle}`
  return { missing: `${needed.program} is missing${reason}; enable with: apt-get install ${needed.package}` }
}

function findProgram({ program, folders = [] }: DebianProgram): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...globSync([...folders])]
  return places.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

// Debian starts a service as soon as it is installed. In a container nothing does; on a machine that somebody
// works on it would be a surprise.
function obstacleToInstalling(): string | undefined {
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get'
  if (process.getuid?.() !== 0) return 'only root may install it'
  return existsSync('/run/systemd/system') && !isCi() ? 'it would be started as a service here' : undefined
}

const lockFile = join(tmpdir(), 'agentic-apt.lock')
const installScript = 'apt-get install -y -q --no-install-recommends "$1"'
const script = `${installScript} || { apt-get update -q && ${installScript}; }`
const MAX_INSTALL_MS = 300_000

/** Installs a package, one at a time: test files run side by side, and apt-get refuses to. */
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
