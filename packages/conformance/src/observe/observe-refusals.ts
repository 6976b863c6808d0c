import { headers } from '@agentic-rest/profile'
import { NO_TOKEN } from '../scenario/check-names.ts'
import { attempt } from './attempt.ts'
import type { Observation, ObservationName, Seen } from './observation.ts'
import { notInScenario } from './observation.ts'
import type { Run, Sending } from './run.ts'
import { sendProbe } from './take-steps.ts'

const badToken = { [headers.authorization]: 'Bearer not-a-token' }

/** Sends what otherwise succeeds without a token, with a false one and for a tenant that the token is not good for. */
export async function observeRefusals(run: Run): Promise<Seen[]> {
  const { foreignTenant, tracelessUpstream } = run.scenario
  return [
    await refused(run, 'token.missing', { token: NO_TOKEN }),
    await refused(run, 'token.invalid', { headers: badToken }),
    foreignTenant === undefined
      ? notInScenario('tenant.foreign', 'foreignTenant')
      : await refused(run, 'tenant.foreign', { tenant: foreignTenant }),
    tracelessUpstream === undefined
      ? notInScenario('traceless-upstream', 'tracelessUpstream')
      : await attempt(run, 'traceless-upstream', async () => ({
          exchanges: [await sendProbe(run, tracelessUpstream)],
        })),
  ]
}

async function refused(run: Run, name: ObservationName, sending: Sending): Promise<Seen> {
  const probe = run.scenario.outcomes?.success
  if (probe === undefined) return notInScenario(name, 'outcomes.success')
  if ((probe.request.token ?? run.scenario.token ?? NO_TOKEN) === NO_TOKEN)
    return { name, missing: 'the scenario uses no token' }
  return await attempt(run, name, async (): Promise<Omit<Observation, 'name'>> => {
    return { exchanges: [await sendProbe(run, probe, sending)] }
  })
}
