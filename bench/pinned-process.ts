import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** The measured core and the load core; the same one on a machine with a single core. */
export const cores = { measured: Math.min(1, availableParallelism() - 1), load: 0 } as const

/** Keeps this process off the measured core. */
export function pinSelf(): void {
  execFileSync('taskset', ['-acp', String(cores.load), String(process.pid)], { stdio: 'ignore' })
}

/** A program on one core. */
export interface PinnedProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** The program and its core. */
export interface Command {
  readonly command: readonly string[]
  readonly core: number | string
  readonly env?: NodeJS.ProcessEnv
  /** The program is ready when this port accepts connections. */
  readonly port: number
}

const READY_TIMEOUT_MS = 20_000

/** Starts a program on one core; resolves when it accepts connections. */
export async function startPinned({ command, core, env, port }: Command): Promise<PinnedProcess> {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    env: { ...process.env, ...env },
    // Its output is discarded by the kernel, which costs like a log in a file.
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

/** Resolves when a port accepts connections; `check` may throw to stop waiting. */
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
