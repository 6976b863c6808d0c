import { type OutcomeType, outcomes, outcomeTypes } from '@agentic-rest/profile'
import type { Probe } from '../scenario/scenario-schema.ts'
import type { Observation, ObservationName, Seen } from './observation.ts'
import { newTrace, type Run } from './run.ts'
import { attempt, sendProbe } from './take-steps.ts'

/** Sends a request without ids, with one id, and with another Accept header. Its answer has a trace. */
export async function observeIds(run: Run): Promise<Seen[]> {
  const { type, probe } = tracedProbe(run) ?? {}
  const look = async (
    name: ObservationName,
    observe: (probe: Probe) => Promise<Omit<Observation, 'name'>>,
  ): Promise<Seen> => {
    if (probe === undefined)
      return { name, missing: 'the scenario has no request without setup whose answer has a trace' }
    return await attempt(run, name, () => observe(probe))
  }
  const { correlationId, requestId } = newTrace()
  return [
    await look('ids.absent', async (one) => ({
      exchanges: [await sendProbe(run, one, { trace: {} }), await sendProbe(run, one, { trace: {} })],
    })),
    await look('ids.request-absent', async (one) => ({
      exchanges: [await sendProbe(run, one, { trace: { correlationId } })],
    })),
    await look('ids.correlation-absent', async (one) => ({
      exchanges: [await sendProbe(run, one, { trace: { requestId } })],
    })),
    await look('accept', async (one) => ({
      exchanges: [await sendProbe(run, one), await sendProbe(run, one, { headers: { Accept: 'text/html' } })],
      expected: { type },
    })),
  ]
}

/** The first outcome with a trace and without setup, so that its request can be repeated. */
function tracedProbe({ scenario }: Run): { type: OutcomeType; probe: Probe } | undefined {
  const isTraced = (type: OutcomeType) => outcomes[type].schema !== null && type !== 'accepted'
  return outcomeTypes
    .filter(isTraced)
    .flatMap((type) => {
      const probe = scenario.outcomes?.[type]
      return probe === undefined || (probe.setup ?? []).length > 0 ? [] : [{ type, probe }]
    })
    .at(0)
}
