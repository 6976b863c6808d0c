import { attempt } from './attempt.ts'
import { notInScenario, type Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { cleanUp, takeSteps } from './take-steps.ts'

const PATIENCE_MS = 5_000

/** Sends the request that takes longer than its route allows. */
export async function observeDeadline(run: Run): Promise<Seen[]> {
  const { deadline } = run.scenario
  if (deadline === undefined) return [notInScenario('deadline', 'deadline')]
  const { setup, request, cleanup, seconds } = deadline
  const observed = await attempt(run, 'deadline', async () => {
    const values = await takeSteps(run, setup)
    const exchange = await run.wire.send(await prepare(run, request, { values }), {
      timeoutMs: seconds * 1500 + PATIENCE_MS,
    })
    await cleanUp(run, cleanup, values)
    return { exchanges: [exchange], expected: { seconds } }
  })
  return [observed]
}
