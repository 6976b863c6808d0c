import { setTimeout as wait } from 'node:timers/promises'
import { conditions, outcomes } from '@agentic-rest/profile'
import { type Caller, createCaller, type Ending } from '../caller.ts'

/** An open load: requests at a fixed rate, independent of earlier answers. */
export interface OpenLoad {
  /** Sends requests at a rate for a time; resolves with all results. */
  run(shape: LoadShape): Promise<readonly LoadSample[]>
  close(): void
}

/** The rate and duration of a load. */
export interface LoadShape {
  readonly perSecond: number
  readonly ms: number
  /** Ends the load early. */
  readonly signal?: AbortSignal
}

/** One request of a load. */
export interface LoadSample {
  /** The time of sending, in milliseconds from the beginning of the load. */
  readonly sentAt: number
  readonly ending: Ending
}

/** The target and the requests of a load. */
export interface OpenLoadOptions {
  readonly port: number
  readonly patienceMs: number
  /** The text of the request with this number. */
  readonly request: (index: number) => string
}

const TICK_MS = 1

/** Creates a load. It keeps its connections, one per open request. */
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

/** Whether the service answered with success. */
export function isServed(ending: Ending): boolean {
  return ending.type === 'answer' && ending.answer.status === outcomes.success.status
}

/** Whether the gateway answered with "unavailable". */
export function isTurnedAway(ending: Ending): boolean {
  return ending.type === 'answer' && ending.answer.status === conditions.unavailable
}

/** Whether the gateway refused it as overloaded, which depends on the machine more than on the gateway. */
export function isOverload(ending: Ending): boolean {
  return isTurnedAway(ending) && ending.type === 'answer' && codeOf(ending.answer.body) === 'OVERLOADED'
}

function codeOf(body: string): string | undefined {
  return (JSON.parse(body) as { code?: string }).code
}
