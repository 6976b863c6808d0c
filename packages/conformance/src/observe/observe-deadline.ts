import { send, usualLimits } from '../wire/send.ts'
import { attempt } from './attempt.ts'
import { notInScenario, type Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { cleanUp, takeSteps } from './take-steps.ts'

/** Sends the request that takes longer than its route allows. */
export async function observeDeadline(run: Run): Promise<Seen[]> {
  const { deadline } = run.scenario
  if (deadline === undefined) return [notInScenario('deadline', 'deadline')]
  const { setup, request, cleanup, seconds } = deadline
  const observed = await attempt(run, 'deadline', async () => {
    const values = await takeSteps(run, setup)
    const limits = { ...usualLimits, timeoutMs: usualLimits.timeoutMs + seconds * 1000 }
    const exchange = await send(await prepare(run, request, { values }), limits)
    await cleanUp(run, cleanup, values)
    return { exchanges: [exchange], expected: { seconds } }
  })
  return [observed]
}
