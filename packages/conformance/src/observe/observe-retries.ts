import { randomUUID } from 'node:crypto'
import { headers } from '@agentic-rest/profile'
import type { Effects, Probe } from '../scenario/scenario-schema.ts'
import { send } from '../wire/send.ts'
import { attempt } from './attempt.ts'
import { valueAt } from './json-path.ts'
import { notInScenario, type Observation, type ObservationName, type Seen } from './observation.ts'
import { newTrace, prepare, type Run } from './run.ts'
import { cleanUp, StepError, takeSteps } from './take-steps.ts'

/** Sends a request twice with one key and counts its effects, at the service itself and behind an agent. */
export async function observeRetries(run: Run): Promise<Seen[]> {
  const { retry, graph } = run.scenario
  return [
    await observe(run, 'retry', retry && { probe: retry, effects: retry.effects }),
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
  // The retry belongs to the same exchange and is a request of its own.
  const again = async () =>
    await send(
      await prepare(run, probe.request, { values, headers: key, trace: { ...newTrace(), correlationId } }),
    )
  const first = await again()
  const after = await count(run, effects, values)
  const second = await again()
  const end = await count(run, effects, values)
  await cleanUp(run, probe.cleanup, values)
  return {
    exchanges: [first, second],
    counts: [before.number, after.number, end.number],
    records: after.text,
  }
}

async function count(
  run: Run,
  { count: path, ...request }: Effects,
  values: ReadonlyMap<string, string>,
): Promise<{ number: number; text: string }> {
  const { answer, failure } = await send(await prepare(run, request, { values }))
  const found = valueAt(answer?.json?.value, path)
  const number = Array.isArray(found) ? found.length : found
  if (answer !== undefined && typeof number === 'number') return { number, text: answer.body }
  throw new StepError(`effects cannot be counted: ${failure ?? `no list or number at ${path}`}`)
}
