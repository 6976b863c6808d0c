import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { readableLine } from './log-line.ts'

/** The command of a part. */
export interface PartCommand {
  readonly name: string
  readonly arguments: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Whether the part answers. */
  readonly isReady: () => Promise<boolean>
  readonly onStdout: (line: string) => void
  readonly onStderr: (line: string) => void
  /** Takes the messages that the part sends to this process. */
  readonly onMessage?: (message: unknown) => void
}

/** One process of a part. */
export interface PartProcess {
  readonly pid: number | undefined
  /** Resolves when the part answers; rejects with a `PartFailedError` if it ends before or does not answer in time. */
  readonly ready: Promise<void>
  /** Resolves with the reason after the end of the process and of its output. */
  readonly ended: Promise<string>
  /** Sends SIGTERM, and SIGKILL after a time. */
  stop(): Promise<void>
}

/** A part did not start. The message has its last output. */
export class PartFailedError extends Error {
  override readonly name = 'PartFailedError'
}

const POLL_MS = 50
const READY_MS = 60_000
const STOP_MS = 10_000
const KEPT_LINES = 20

/** Starts a part. It always ends with this process. */
export function runPart(command: PartCommand): PartProcess {
  const child = spawn(process.execPath, command.arguments, {
    env: command.env,
    // Its own process group: Ctrl-C goes only to the stack, which stops its parts in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  child.on('message', (message) => command.onMessage?.(message))
  const lastWords: string[] = []
  const output = Promise.all([
    eachLine(child.stdout as Readable, command.onStdout),
    eachLine(child.stderr as Readable, (line) => {
      lastWords.push(readableLine(line))
      if (lastWords.length > KEPT_LINES) lastWords.shift()
      command.onStderr(line)
    }),
  ])
  const ended = endOf(child).then(async (how) => {
    await output
    return how
  })
  const failure = (how: string) =>
    new PartFailedError([`${command.name} did not start: it ${how}`, ...lastWords].join('\n  '))
  const ready = waitUntilReady(command, ended).then((how) => {
    if (how !== undefined) throw failure(how)
  })
  return { pid: child.pid, ready, ended, stop: () => stopProcess(child, ended) }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended with ${code}` : `ended by ${signal}`),
    )
  })
}

/** Waits until the part answers; resolves with the reason if it does not. */
async function waitUntilReady({ isReady }: PartCommand, ended: Promise<string>): Promise<string | undefined> {
  const late = AbortSignal.timeout(READY_MS)
  let end: string | undefined
  void ended.then((how) => {
    end = how
  })
  while (!(await isReady())) {
    if (end !== undefined) return end
    if (late.aborted) return `has not answered for ${READY_MS / 1000} seconds`
    await Promise.race([ended, pause(POLL_MS)])
  }
  return end
}

async function stopProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}

/** Calls `take` for every line of a stream; resolves at its end. */
function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
      .on('line', take)
      .on('close', resolve)
  })
}
