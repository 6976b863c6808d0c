import type { Probe } from '../scenario/scenario-schema.ts'
import type { Arrival, Exchange } from '../wire/exchange.ts'
import { attempt } from './attempt.ts'
import { notInScenario, type Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { cleanUp, sendProbe, takeSteps } from './take-steps.ts'

/** What a caller sends to get a stream. */
export const EVENT_STREAM = 'text/event-stream'

/** How long a stream is watched after its first event. */
const WATCH_MS = 600

/** Opens the stream of the scenario, and asks for the same without `Accept: text/event-stream`. */
export async function observeStream(run: Run): Promise<Seen[]> {
  const { stream } = run.scenario
  if (stream === undefined)
    return [notInScenario('stream', 'stream'), notInScenario('stream.plain', 'stream')]
  return [
    await attempt(run, 'stream', async () => ({ exchanges: [await watchStream(run, stream)] })),
    await attempt(run, 'stream.plain', async () => ({ exchanges: [await sendProbe(run, stream)] })),
  ]
}

async function watchStream(run: Run, { setup, request, cleanup }: Probe): Promise<Exchange> {
  const values = await takeSteps(run, setup)
  const prepared = await prepare(run, request, { values, headers: { Accept: EVENT_STREAM } })
  const exchange = await run.wire.send(prepared, {}, sawEnough)
  await cleanUp(run, cleanup, values)
  return exchange
}

function sawEnough(arrivals: readonly Arrival[]): boolean {
  const first = firstEventAt(arrivals)
  return first !== undefined && Number(arrivals.at(-1)?.atMs) - first > WATCH_MS
}

/** When the first event was complete: a blank line ends it. */
export function firstEventAt(arrivals: readonly Arrival[]): number | undefined {
  let text = ''
  for (const { atMs, text: piece } of arrivals) {
    text += piece
    if (/(\r\n|\r|\n)(\r\n|\r|\n)/.test(text)) return atMs
  }
  return undefined
}
