import { randomUUID } from 'node:crypto'
import { headers } from '@agentic-rest/profile'
import type { Effects, Probe } from '../scenario/scenario-schema.ts'
import { valueAt } from './json-path.ts'
import { notInScenario, type Observation, type ObservationName, type Seen } from './observation.ts'
import { newTrace, prepare, type Run } from './run.ts'
import { attempt, cleanUp, StepError, takeSteps } from './take-steps.ts'

/** Sends a request twice with one key and counts its effects, at the service and at an inner agent. */
export async function observeRetries(run: Run): Promise<Seen[]> {
  const { retry, graph } = run.scenario
  return [
    await observe(run, 'retry', retry && { probe: retry, effects: retry.effects }),
    retry === undefined
      ? notInScenario('retry.changed', 'retry')
      : await attempt(run, 'retry.changed', () => sendChanged(run, retry)),
    await observe(run, 'graph.hop', graph?.hop && { probe: graph.hop, effects: graph.hop.records }),
  ]
}

interface Counted {
  readonly probe: Probe
  readonly effects: Effects
}

async function observe(run: Run, name: ObservationName, counted: Counted | undefined): Promise<Seen> {
  if (counted === undefined) return notInScenario(name, name)
  return await attempt(run, name, () => sendTwice(run, counted))
}

async function sendTwice(run: Run, { probe, effects }: Counted): Promise<Omit<Observation, 'name'>> {
  const values = await takeSteps(run, probe.setup)
  const before = await count(run, effects, values)
  const { correlationId } = newTrace()
  const key = { [headers.idempotencyKey]: randomUUID() }
  // A retry has the same correlation id and a new request id.
  const again = async () =>
    await run.wire.send(
      await prepare(run, probe.request, { values, headers: key, trace: { ...newTrace(), correlationId } }),
    )
  const first = await again()
  const after = await count(run, effects, values)
  const second = await again()
  const end = await count(run, effects, values)
  await cleanUp(run, probe.cleanup, values)
  return {
    exchanges: [first, second],
    counts: [0, after.since(before), end.since(before)],
    records: after.text,
  }
}

/** Sends a request, and then another one with its key: a further parameter in the query makes the difference. */
async function sendChanged(run: Run, { request, setup, cleanup }: Probe): Promise<Omit<Observation, 'name'>> {
  const values = await takeSteps(run, setup)
  const key = { [headers.idempotencyKey]: randomUUID() }
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}conformance=changed`
  const first = await run.wire.send(await prepare(run, request, { values, headers: key }))
  const changed = await run.wire.send(await prepare(run, { ...request, path }, { values, headers: key }))
  await cleanUp(run, cleanup, values)
  return { exchanges: [first, changed] }
}

interface Counting {
  readonly number: number
  readonly keys: readonly string[]
  readonly text: string
  /** The number of effects that are new since an earlier count. */
  since(earlier: Counting): number
}

async function count(
  run: Run,
  { count: path, ...request }: Effects,
  values: ReadonlyMap<string, string>,
): Promise<Counting> {
  const { answer, failure } = await run.wire.send(await prepare(run, request, { values }))
  const found = valueAt(answer?.json?.value, path)
  if (answer === undefined || (!Array.isArray(found) && typeof found !== 'number'))
    throw new StepError(`effects cannot be counted: ${failure ?? `no list or number at ${path}`}`)
  const keys = Array.isArray(found) ? found.map(keyOf) : []
  const number = typeof found === 'number' ? found : found.length
  return {
    number,
    keys,
    text: answer.body,
    // A list may show only its newest part and keep its length.
    since: (earlier) => (Array.isArray(found) ? countNew(keys, earlier.keys) : number - earlier.number),
  }
}

/** The identity of an element; its other fields may change between two counts. */
function keyOf(item: unknown): string {
  return JSON.stringify(valueAt(item, '$.id') ?? item)
}

function countNew(keys: readonly string[], earlier: readonly string[]): number {
  const left = new Map<string, number>()
  for (const key of earlier) left.set(key, (left.get(key) ?? 0) + 1)
  return keys.filter((key) => {
    const known = left.get(key) ?? 0
    left.set(key, known - 1)
    return known <= 0
  }).length
}
