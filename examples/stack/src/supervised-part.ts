import { setTimeout as pause } from 'node:timers/promises'
import { type PartCommand, type PartProcess, runPart } from './part-process.ts'

/** A part that is restarted when it ends. */
export interface SupervisedPart {
  readonly name: string
  /** The current process id. */
  pid(): number | undefined
  /** Resolves when the part answers for the first time; rejects if its first start fails. */
  start(): Promise<void>
  /** Ends the process, which is then restarted at once. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** The pauses before restarts. */
const restartPolicy = {
  firstPauseMs: 200,
  longestPauseMs: 5_000,
  /** After this time a part counts as recovered, and the next pause is short again. */
  steadyMs: 30_000,
} as const

/** Takes messages about a part; `isFailure` for an end that nobody asked for. */
export type SupervisionLog = (message: string, isFailure?: boolean) => void

/** Supervises a part. A failed first start fails the stack; later ends are followed by a restart. */
export function supervisePart(command: PartCommand, log: SupervisionLog): SupervisedPart {
  const stopping = new AbortController()
  let current: PartProcess | undefined
  let kept: Promise<void> | undefined
  let isRunning = false
  let isRestarting = false
  return {
    name: command.name,
    pid: () => current?.pid,
    async start() {
      if (stopping.signal.aborted) return
      current = runPart(command)
      await current.ready
      kept = keepRunning()
    },
    async restart() {
      // Between two attempts there is no process to end.
      if (!isRunning) return
      isRestarting = true
      await current?.stop()
    },
    async stop() {
      stopping.abort()
      await current?.stop()
      await kept
    },
  }

  async function keepRunning(): Promise<void> {
    let failures = 0
    while (current !== undefined) {
      const since = performance.now()
      isRunning = true
      const how = await current.ended
      isRunning = false
      if (stopping.signal.aborted) return
      if (isRestarting) failures = 0
      else {
        failures = performance.now() - since > restartPolicy.steadyMs ? 1 : failures + 1
        log(`${how}; it is started again`, true)
        await pause(pauseAfter(failures), undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      isRestarting = false
      if (stopping.signal.aborted) return
      const next = runPart(command)
      current = next
      void next.ready.then(() => log(`runs again as process ${next.pid}`), ignoreFailure)
    }
  }
}

function pauseAfter(failures: number): number {
  return Math.min(restartPolicy.firstPauseMs * 2 ** (failures - 1), restartPolicy.longestPauseMs)
}

// The part ended before it answered. The loop handles that.
function ignoreFailure(): void {}
