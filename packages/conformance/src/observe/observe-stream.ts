import type { Probe } from '../scenario/scenario-schema.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Watcher } from '../wire/send.ts'
import { createEventClock } from './event-clock.ts'
import { notInScenario, type Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { attempt, cleanUp, sendProbe, takeSteps } from './take-steps.ts'

/** The Accept header of a request for a stream. */
export const EVENT_STREAM = 'text/event-stream'

/** The time a stream is read after its first event. */
const WATCH_MS = 600

/** Opens the stream of the scenario, and sends the same request without `Accept: text/event-stream`. */
export async function observeStream(run: Run): Promise<Seen[]> {
  const { stream } = run.scenario
  if (stream === undefined)
    return [notInScenario('stream', 'stream'), notInScenario('stream.plain', 'stream')]
  const watched = await attempt(run, 'stream', async () => ({ exchanges: [await watchStream(run, stream)] }))
  const contrast = 'missing' in watched ? undefined : watched.exchanges.at(0)
  return [
    watched,
    await attempt(run, 'stream.plain', async () => ({
      exchanges: [await sendProbe(run, stream)],
      ...(contrast && { contrast }),
    })),
  ]
}

async function watchStream(run: Run, { setup, request, cleanup }: Probe): Promise<Exchange> {
  const values = await takeSteps(run, setup)
  const prepared = await prepare(run, request, { values, headers: { Accept: EVENT_STREAM } })
  const exchange = await run.wire.send(prepared, {}, createWatcher())
  await cleanUp(run, cleanup, values)
  return exchange
}

function createWatcher(): Watcher {
  const clock = createEventClock()
  return (arrivals) => {
    const last = arrivals.at(-1)
    if (last === undefined) return false
    clock.take(last)
    const [first] = clock.times
    return first !== undefined && last.atMs - first > WATCH_MS
  }
}
