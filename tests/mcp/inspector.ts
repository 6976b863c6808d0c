import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Json } from './official-clients.ts'

/** The program of the MCP Inspector, or the reason for its absence. */
export type Inspector = { readonly program: string } | { readonly missing: string }

const MAX_INSTALL_MS = 240_000
const source = join(import.meta.dirname, 'inspector')
const files = ['package.json', 'package-lock.json'] as const

/**
 * Finds the installed Inspector; otherwise installs the versions of its lock file for this user, outside the repository and
 * without install scripts. It has one, so it cannot be a dependency of the repository.
 */
export function ensureInspector(): Inspector {
  const digest = createHash('sha256')
    .update(readFileSync(join(source, files[1])))
    .digest('hex')
    .slice(0, 12)
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'agentic-rest')
  const folder = join(cache, `inspector-${digest}`)
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  if (existsSync(program)) return { program }
  // Renamed when it is complete, so that a killed run leaves nothing that looks installed.
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  for (const file of files) copyFileSync(join(source, file), join(draft, file))
  const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev']
  const { status } = spawnSync('npm', command, { cwd: draft, stdio: 'ignore', timeout: MAX_INSTALL_MS })
  if (status === 0 && !existsSync(folder)) renameSync(draft, folder)
  rmSync(draft, { recursive: true, force: true })
  if (existsSync(program)) return { program }
  return { missing: `npm install of ${source} failed; it needs the package registry` }
}

/** The answer of a run of the command line: the result on stdout, and its exit code. */
export interface Inspected {
  readonly code: number
  readonly result: Json
  readonly errors: string
}

/** Runs the Inspector on a command line, with a home folder of its own. */
export async function inspect(program: string, home: string, args: readonly string[]): Promise<Inspected> {
  const child = spawn(process.execPath, [program, '--cli', ...args], {
    env: { PATH: process.env['PATH'], HOME: home, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, result: output.trim() === '' ? undefined : JSON.parse(output), errors }
}
