import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { coreShare } from './core-share.ts'

const root = join(import.meta.dirname, '../../..')

/** How a run ended and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A stack that `npm start` runs. */
export interface RunningStack {
  readonly portBase: number
  readonly data: string
  readonly url: string
  /** The process of npm itself. */
  readonly npm: ChildProcess
  /** What has been printed so far. */
  printed(): string
  /** Resolves when something that fits has been printed, with the match. */
  printing(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
  /** The seconds of the start that it prints, without the share in which other programs used the cores. */
  readonly startSeconds: number
}

/** Where a stack is started. */
export interface Place {
  readonly portBase: number
  readonly data: string
  readonly options?: readonly string[]
  /** Added to the environment. */
  readonly env?: NodeJS.ProcessEnv
}

/** A folder that does not exist yet, below one that is removed by `remove`. */
export function newFolder(): { path: string; remove(): void } {
  const parent = mkdtempSync(join(tmpdir(), 'agentic-stack-'))
  return { path: join(parent, 'data'), remove: () => rmSync(parent, { recursive: true, force: true }) }
}

/** The README's command. Resolves when the stack says that it runs. */
export async function startStack(place: Place): Promise<RunningStack> {
  const { portBase, data } = place
  const npm = spawnStart(place)
  const watched = watch(npm)
  const [, seconds] = await watched.printing(/after ([\d.]+) seconds\. Ctrl-C ends it/)
  const url = `http://127.0.0.1:${portBase}`
  const startSeconds = Number(seconds) * coreShare(npm.pid ?? 0)
  return { portBase, data, url, npm, startSeconds, ...watched }
}

/** The same where it cannot start: what it says about that. */
export async function npmStartFails(place: Place): Promise<string> {
  const { code, stderr } = await watch(spawnStart(place)).ended
  if (code !== 1) throw new Error(`it ended with ${code}:\n${stderr}`)
  return stderr
}

function spawnStart({ portBase, data, options = [], env = {} }: Place): ChildProcess {
  return spawn('npm', ['start', '--', '--port-base', String(portBase), '--data', data, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
}

/** Runs a script of this repository to its end, without npm's own words. */
export function npmRun(script: string, args: readonly string[]): Promise<Ended> {
  return watch(spawn('npm', ['run', '--silent', script, '--', ...args], { cwd: root })).ended
}

/** Runs a command of the command line to its end, as a reader types it. */
export function npxAgentic(...args: readonly string[]): Promise<Ended> {
  return watch(spawn('npx', ['agentic', ...args], { cwd: root })).ended
}

function watch(child: ChildProcess): Pick<RunningStack, 'printed' | 'printing' | 'ended'> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }))
  return {
    ended,
    printed: () => stdout,
    async printing(pattern) {
      for (;;) {
        const found = pattern.exec(stdout)
        if (found !== null) return found
        const next = await Promise.race([once(child.stdout ?? child, 'data'), ended])
        if (!Array.isArray(next)) throw new Error(`it ended before:\n${stdout}\n${stderr}`)
      }
    },
  }
}
