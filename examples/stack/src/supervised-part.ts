import { setTimeout as pause } from 'node:timers/promises'
import { type PartCommand, type PartProcess, runPart } from './part-process.ts'

/** A part that is started again when it ends by itself. */
export interface SupervisedPart {
  readonly name: string
  /** The process that it is at the moment. */
  pid(): number | undefined
  /** Resolves when it answers for the first time; rejects when it cannot be started at all. */
  start(): Promise<void>
  /** Ends the process, which is then started again at once. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** When a part that ended is started again. */
const restartPolicy = {
  firstPauseMs: 200,
  longestPauseMs: 5_000,
  /** A part that ran so long has recovered: the next pause is a short one again. */
  steadyMs: 30_000,
} as const

/** Supervises a part: what fails at its first start fails the stack, what ends later is started again. */
export function supervisePart(command: PartCommand, log: (message: string) => void): SupervisedPart {
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
      // Between two attempts there is nothing to end: the next attempt is near.
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
        log(`${how}; it is started again`)
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

// It ended before it answered, which the loop notices by itself.
function ignoreFailure(): void {}
