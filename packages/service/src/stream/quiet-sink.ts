import type { JobContext } from '../runtime/contract.ts'
import type { EventSink } from './run-to-end.ts'

// A generator that never waits would otherwise keep the process from everything else, its own abort included.
const EVENTS_PER_TURN = 256

/** Drops the events of a run, for callers that want only the outcome. */
export function dropEvents(signal: AbortSignal): EventSink {
  const breathe = createPause()
  return {
    open: () => undefined,
    async push() {
      await breathe()
      return !signal.aborted
    },
  }
}

/** The progress of a background run. */
interface ProgressSink extends EventSink {
  /** Resolves when the last event is stored. */
  flush(): Promise<void>
}

/**
 * Stores the events of a background run as its progress. Only the last one is kept, so an event that comes while another
 * is written replaces those that wait.
 */
export function storeProgress(
  { progress, signal }: Pick<JobContext, 'progress' | 'signal'>,
  onFault: (cause: unknown) => void,
): ProgressSink {
  const breathe = createPause()
  let next: { readonly data: unknown } | undefined
  let writing: Promise<void> | undefined
  const write = async () => {
    while (next !== undefined) {
      const { data } = next
      next = undefined
      await progress(data).catch(onFault)
    }
    writing = undefined
  }
  return {
    open: () => undefined,
    async push({ data }) {
      next = { data }
      writing ??= write()
      await breathe()
      return !signal.aborted
    },
    flush: async () => writing,
  }
}

function createPause(): () => Promise<void> | undefined {
  let count = 0
  return () => {
    count += 1
    return count % EVENTS_PER_TURN === 0 ? new Promise((resolve) => setTimeout(resolve)) : undefined
  }
}
