import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type Channel, createChannel, type Desk, type Peer } from './channel.ts'
import type { WorkerDesk } from './desks.ts'
import { WORKER_VARIABLE } from './load-workers.ts'

/** How a worker is run. */
export interface WorkerProgram {
  /** A file that Node runs, and that calls `joinPrimary` when it finds the variable in its environment. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** A process that serves a part of the clients. */
export interface WorkerProcess {
  readonly pid: number
  readonly channel: Channel<WorkerDesk & Desk>
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  /** Ends it at once. */
  kill(): void
}

/** Starts one. */
export function startWorkerProcess({ file, args, env }: WorkerProgram, desk: Desk): WorkerProcess {
  const child = fork(file, args, {
    env: { ...env, [WORKER_VARIABLE]: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('a worker has no stdout or stderr')
  return {
    pid: child.pid ?? 0,
    channel: createChannel(child as Peer, desk),
    stdout,
    stderr,
    ended: endOf(child),
    kill: () => void child.kill('SIGKILL'),
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit')
    // What it had to say before may still be on its way, and must not come after everybody has forgotten it.
    if (child.connected) await once(child, 'disconnect')
    return signal === null ? `exit code ${code}` : String(signal)
  } catch (error) {
    // It could not even be started.
    return error instanceof Error ? error.message : String(error)
  }
}
