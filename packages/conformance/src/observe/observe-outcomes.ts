import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'
import type { Scenario } from '../scenario/scenario-schema.ts'
import type { Exchange } from '../wire/exchange.ts'
import { valueAt } from './json-path.ts'
import { type Expected, notInScenario, type Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { attempt, sendProbe } from './take-steps.ts'

type Probes = NonNullable<Scenario['outcomes']>

/** Sends the request for each of the ten outcomes, and polls the address of a 202. */
export async function observeOutcomes(run: Run): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const type of outcomeTypes) seen.push(await observeOutcome(run, type))
  const accepted = seen.find(({ name }) => name === 'outcomes.accepted')
  return [...seen, await followStatusUrl(run, accepted)]
}

async function observeOutcome(run: Run, type: OutcomeType): Promise<Seen> {
  const name = `outcomes.${type}` as const
  const isWanted = run.wanted.has(name) || (type === 'accepted' && run.wanted.has('status-url'))
  if (!isWanted) return { name, missing: 'no rule asks for it' }
  const probe = run.scenario.outcomes?.[type]
  if (probe === undefined) return notInScenario(name, name)
  return await attempt(run, name, async () => {
    const exchange = await sendProbe(run, probe)
    const contrast = type === 'forbidden' ? await sendAdmitted(run) : undefined
    return { exchanges: [exchange], expected: expectedOf(probe), ...(contrast && { contrast }) }
  })
}

/** Sends the forbidden request for the caller that the route admits, if the scenario names one. */
async function sendAdmitted(run: Run): Promise<Exchange | undefined> {
  const { outcomes, ...defaults } = run.scenario
  const probe = outcomes?.forbidden
  if (probe?.admits === undefined) return undefined
  const { token = defaults.token, tenant = defaults.tenant } = probe.admits
  return await sendProbe(run, { ...probe, request: { ...probe.request, token, tenant } })
}

/** The expectations of a probe. */
function expectedOf(probe: NonNullable<Probes[OutcomeType]>): Expected {
  const { asks, hides, approver } = probe as Expected
  return { asks, hides, approver }
}

async function followStatusUrl(run: Run, accepted: Seen | undefined): Promise<Seen> {
  const name = 'status-url'
  if (!run.wanted.has(name)) return { name, missing: 'no rule asks for it' }
  if (accepted === undefined || 'missing' in accepted) return { name, missing: 'no operation was accepted' }
  const [exchange] = accepted.exchanges
  const statusUrl = valueAt(exchange?.answer?.json?.value, '$.statusUrl')
  if (
    exchange === undefined ||
    typeof statusUrl !== 'string' ||
    !URL.canParse(statusUrl, exchange.request.url)
  )
    return { name, missing: 'the answer names no address to poll' }
  const url = new URL(statusUrl, exchange.request.url)
  // An answer must not make the token go to another host.
  if (url.origin !== new URL(exchange.request.url).origin)
    return { name, missing: 'the address to poll is at another origin' }
  const { token, tenant } = run.scenario.outcomes?.accepted?.request ?? {}
  return await attempt(run, name, async () => {
    const request = await prepare(run, { method: 'GET', path: '/', token, tenant })
    return { exchanges: [exchange, await run.wire.send({ ...request, url: url.href })] }
  })
}

const passedOn = ['failed_dependency', 'clarification_required', 'approval_required'] as const

/** Sends the requests whose outcome comes from an inner agent. */
export async function observeGraph(run: Run): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const type of passedOn) {
    const name = `graph.${type}` as const
    const probe = run.scenario.graph?.[type]
    if (probe === undefined) seen.push(notInScenario(name, name))
    else
      seen.push(
        await attempt(run, name, async () => ({
          exchanges: [await sendProbe(run, probe)],
          expected: expectedOf(probe),
        })),
      )
  }
  return seen
}
