import { setTimeout as wait } from 'node:timers/promises'
import { createCaller, type Ending } from '../caller.ts'

/** A load of a few clients, each with one request at a time. */
export interface PacedLoad {
  /** Sends requests for a time; resolves with all results. */
  run(ms: number, signal: AbortSignal): Promise<readonly PacedSample[]>
  close(): void
}

/** One request of a load. */
export interface PacedSample {
  /** From the time at which the request was due, even if its client was still busy then. */
  readonly ms: number
  readonly ending: Ending
}

/** The target and the requests of a load. */
export interface PacedLoadOptions {
  readonly port: number
  readonly patienceMs: number
  readonly clients: number
  /** Requests of all clients together. */
  readonly perSecond: number
  readonly request: (index: number) => string
}

/** Creates a load that never has more requests open than it has clients. Their connections are kept. */
export function createPacedLoad(options: PacedLoadOptions): PacedLoad {
  const { port, patienceMs, clients, perSecond, request } = options
  const callers = Array.from({ length: clients }, () => createCaller({ port, patienceMs }))
  const intervalMs = (clients * 1000) / perSecond
  return {
    async run(ms, signal) {
      const startedAt = performance.now()
      const samples: PacedSample[] = []
      const work = async (caller: (typeof callers)[number], client: number) => {
        // Spread over the interval, so that the clients do not send all at once.
        const first = startedAt + (intervalMs * client) / clients
        for (let index = 0; index * intervalMs < ms && !signal.aborted; index += 1) {
          const dueAt = first + index * intervalMs
          await wait(Math.max(0, dueAt - performance.now()))
          const ending = await caller.ask(request(index + client))
          samples.push({ ms: performance.now() - dueAt, ending })
        }
      }
      await Promise.all(callers.map(work))
      return samples
    },
    close() {
      for (const caller of callers) caller.close()
    },
  }
}
