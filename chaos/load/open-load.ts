import { setTimeout as wait } from 'node:timers/promises'
import { type Caller, createCaller, type Ending } from '../caller.ts'

/** Requests that come at their own pace, whether earlier ones are answered or not. */
export interface OpenLoad {
  /** Sends so many a second for so long; resolves with what came of each when all have ended. */
  run(shape: LoadShape): Promise<readonly LoadSample[]>
  close(): void
}

/** How many, and for how long. */
export interface LoadShape {
  readonly perSecond: number
  readonly ms: number
  /** Ends it before its time. */
  readonly signal?: AbortSignal
}

/** One request of a load. */
export interface LoadSample {
  /** When it was sent, in milliseconds from the beginning of the load. */
  readonly sentAt: number
  readonly ending: Ending
}

/** Whom to load with what. */
export interface OpenLoadOptions {
  readonly port: number
  readonly patienceMs: number
  /** The text of the request with this number. */
  readonly request: (index: number) => string
}

const TICK_MS = 1

/** Makes a load; it has as many connections as requests are open at a time, and keeps them. */
export function createOpenLoad({ port, patienceMs, request }: OpenLoadOptions): OpenLoad {
  const callers = new Set<Caller>()
  const free: Caller[] = []
  let index = 0
  const open = (): Caller => {
    const caller = createCaller({ port, patienceMs })
    callers.add(caller)
    return caller
  }
  const send = async (startedAt: number): Promise<LoadSample> => {
    const sentAt = performance.now() - startedAt
    const caller = free.pop() ?? open()
    index += 1
    const ending = await caller.ask(request(index))
    free.push(caller)
    return { sentAt, ending }
  }
  return {
    async run({ perSecond, ms, signal }) {
      const startedAt = performance.now()
      const samples: Promise<LoadSample>[] = []
      for (
        let elapsed = 0;
        elapsed < ms && signal?.aborted !== true;
        elapsed = performance.now() - startedAt
      ) {
        const due = (elapsed * perSecond) / 1000
        while (samples.length < due) samples.push(send(startedAt))
        await wait(TICK_MS)
      }
      return await Promise.all(samples)
    },
    close() {
      for (const caller of callers) caller.close()
    },
  }
}
