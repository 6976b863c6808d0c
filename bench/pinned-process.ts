import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** The core that is measured, and the one for everything that makes load; with a single core they share it. */
export const cores = { measured: Math.min(1, availableParallelism() - 1), load: 0 } as const

/** Keeps this process, which asks and counts, off the core that is measured. */
export function pinSelf(): void {
  execFileSync('taskset', ['-acp', String(cores.load), String(process.pid)], { stdio: 'ignore' })
}

/** A program that runs on one core. */
export interface PinnedProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** What to run where. */
export interface Command {
  readonly command: readonly string[]
  readonly core: number | string
  readonly env?: NodeJS.ProcessEnv
  /** It is ready when this port takes connections. */
  readonly port: number
}

const READY_TIMEOUT_MS = 20_000

/** Starts a program on one core and resolves when it accepts connections. */
export async function startPinned({ command, core, env, port }: Command): Promise<PinnedProcess> {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    env: { ...process.env, ...env },
    // Whatever it prints is read by nobody but the kernel, as with a log that is written to a file.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors: Buffer[] = []
  child.stderr.on('data', (bytes: Buffer) => errors.length < 50 && errors.push(bytes))
  await untilReady(child, port, () => Buffer.concat(errors).toString())
  return { pid: child.pid ?? 0, stop: () => stop(child) }
}

async function untilReady(child: ChildProcess, port: number, errors: () => string): Promise<void> {
  const isRunning = () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended:\n${errors()}`)
  }
  try {
    await untilAccepting(port, isRunning)
  } catch (error) {
    await stop(child)
    throw error
  }
}

/** Resolves when a port takes connections; `check` may throw to end the waiting before its time. */
export async function untilAccepting(port: number, check?: () => void): Promise<void> {
  const end = performance.now() + READY_TIMEOUT_MS
  while (!(await accepts(port))) {
    check?.()
    if (performance.now() > end) throw new Error(`nobody took a connection on port ${port}`)
    await wait(10)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
