import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { conditions } from '@agentic-rest/profile'
import { createCaller, type Ending } from '../caller.ts'
import { createSeeded } from '../seeded.ts'
import { isServed } from './open-load.ts'

/** The load of a noisy tenant. */
export interface NoisyLoad {
  readonly port: number
  /** The texts of its requests; each caller sends one of them at random. */
  readonly requests: readonly string[]
  /** Requests at a time. */
  readonly callers: number
  /** A refused caller comes again after this time, or up to as much later. */
  readonly pauseMs: number
  readonly seed: number
}

/** The results of a noisy tenant. */
export interface NoisyTally {
  readonly served: number
  /** Refusals of 429, by the limit in their message. */
  readonly refused: Readonly<Record<string, number>>
  /** Everything else, such as a refusal that blames the whole gateway. */
  readonly others: Readonly<Record<string, number>>
}

/** A noisy tenant at work. */
export interface NoisyTenant {
  stop(): Promise<NoisyTally>
}

const PATIENCE_MS = 60_000

/** Starts callers in a thread of their own: the measured load must not wait for them. */
export async function startNoisyTenant(load: NoisyLoad): Promise<NoisyTenant> {
  const worker = new Worker(import.meta.filename, {
    workerData: load,
    execArgv: ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning'],
  })
  await once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      const [tally] = await once(worker, 'message')
      await worker.terminate()
      return tally
    },
  }
}

async function makeNoise({ port, requests, callers, pauseMs, seed }: NoisyLoad): Promise<void> {
  const random = createSeeded(seed)
  const stop = new AbortController()
  parentPort?.once('message', () => stop.abort())
  parentPort?.postMessage('started')
  const served = { count: 0 }
  const refused: Record<string, number> = {}
  const others: Record<string, number> = {}
  const bytes = requests.map((text) => Buffer.from(text))
  const call = async () => {
    const caller = createCaller({ port, patienceMs: PATIENCE_MS })
    while (!stop.signal.aborted) {
      const ending = await caller.ask(random.pick(bytes))
      if (isServed(ending)) served.count += 1
      else count(ending, refused, others)
      if (!isServed(ending)) await wait(pauseMs * (1 + random.number()))
    }
    caller.close()
  }
  await Promise.all(Array.from({ length: callers }, call))
  parentPort?.postMessage({ served: served.count, refused, others } satisfies NoisyTally)
}

function count(ending: Ending, refused: Record<string, number>, others: Record<string, number>): void {
  const isRefused = ending.type === 'answer' && ending.answer.status === conditions.limit_exceeded
  const [, limit] = isRefused ? (/the limit (\S+) is reached/.exec(ending.answer.body) ?? []) : []
  const [tally, key] = limit === undefined ? [others, nameOf(ending)] : [refused, limit]
  tally[key] = (tally[key] ?? 0) + 1
}

/** The end of a request in a few words. */
export function nameOf(ending: Ending): string {
  if (ending.type !== 'answer') return ending.type
  const [, code = ''] = /"code":"(\w+)"/.exec(ending.answer.body) ?? []
  return `${ending.answer.status} ${code}`
}

if (!isMainThread && parentPort !== null && isNoisyLoad(workerData)) await makeNoise(workerData)

/** Tests may run this file's importers in a thread too. */
function isNoisyLoad(value: unknown): value is NoisyLoad {
  return typeof value === 'object' && value !== null && 'callers' in value && 'pauseMs' in value
}
