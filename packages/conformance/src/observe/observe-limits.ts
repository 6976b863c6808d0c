import { setTimeout as pause } from 'node:timers/promises'
import { conditions } from '@agentic-rest/profile'
import type { Scenario } from '../scenario/scenario-schema.ts'
import type { Exchange, SentRequest } from '../wire/exchange.ts'
import type { OpenExchange } from '../wire/send.ts'
import { notInScenario, type Observation, type ObservationName, type Seen } from './observation.ts'
import { EVENT_STREAM } from './observe-stream.ts'
import { idHeaders, newTrace, prepare, type Run, type Sending } from './run.ts'
import { attempt, cleanUp, takeSteps } from './take-steps.ts'

type Limit = NonNullable<Scenario['limit']>
type Finding = Omit<Observation, 'name'> | string

const names = ['limit', 'limit.other-tenant', 'limit.after'] as const satisfies readonly ObservationName[]
const RETURN_MS = 3_000
const PAUSE_MS = 50

/** Opens as many streams as a tenant may have and one more, then one for another tenant, then one after all are closed. */
export async function observeLimit(run: Run): Promise<Seen[]> {
  const { limit } = run.scenario
  if (limit === undefined) return names.map((name) => notInScenario(name, 'limit'))
  const seen = new Map<ObservationName, Finding>()
  const first = await attempt(run, 'limit', async () => {
    const values = await takeSteps(run, limit.setup)
    await testLimit(run, { limit, values, seen })
    await cleanUp(run, limit.cleanup, values)
    return seen.get('limit') ?? 'the streams could not be opened'
  })
  const rest = names.slice(1).map((name) => toSeen(name, seen.get(name) ?? 'the streams could not be opened'))
  return [first, ...rest]
}

function toSeen(name: ObservationName, finding: Finding): Seen {
  return typeof finding === 'string' ? { name, missing: finding } : { name, ...finding }
}

interface LimitTest {
  readonly limit: Limit
  readonly values: ReadonlyMap<string, string>
  readonly seen: Map<ObservationName, Finding>
}

async function testLimit(run: Run, { limit, values, seen }: LimitTest): Promise<void> {
  const streamRequest = (sending: Sending = {}) =>
    prepare(run, limit.request, { ...sending, values, headers: { Accept: EVENT_STREAM } })
  const request = await streamRequest()
  const held = await Promise.all(
    Array.from({ length: limit.streams }, () => run.wire.open(withFreshIds(request))),
  )
  try {
    const refused = held.findIndex(({ exchange }) => !isOpen(exchange))
    if (refused !== -1) {
      const faults = [`stream ${refused + 1} of ${limit.streams}`]
      seen.set('limit', { exchanges: [await sendOneMore(run, request)], faults })
      return
    }
    seen.set('limit', await oneMore(run, request, held))
    seen.set(
      'limit.other-tenant',
      limit.otherTenant === undefined
        ? 'the scenario has no limit.otherTenant'
        : await ofOtherTenant(run, await streamRequest(limit.otherTenant)),
    )
  } finally {
    for (const stream of held) stream.close()
  }
  seen.set('limit.after', { exchanges: [await openAgain(run, request)] })
}

async function oneMore(run: Run, request: SentRequest, held: readonly OpenExchange[]): Promise<Finding> {
  const exchange = await sendOneMore(run, request)
  if (held.some((stream) => stream.hasEnded()))
    return 'streams ended before one too many was open: they have to last longer'
  return { exchanges: [exchange] }
}

async function sendOneMore(run: Run, request: SentRequest): Promise<Exchange> {
  return await run.wire.send(withFreshIds(request), { timeoutMs: 5_000, maxBytes: 65_536 }, (_, status) =>
    isFine(status),
  )
}

async function ofOtherTenant(run: Run, request: SentRequest): Promise<Finding> {
  const stream = await run.wire.open(request)
  stream.close()
  return { exchanges: [stream.exchange] }
}

/** Retries for some seconds: a service may notice closed streams with a delay. */
async function openAgain(run: Run, request: SentRequest): Promise<Exchange> {
  const endAt = performance.now() + RETURN_MS
  for (;;) {
    const stream = await run.wire.open(withFreshIds(request))
    stream.close()
    if (stream.exchange.answer?.status !== conditions.limit_exceeded || performance.now() > endAt)
      return stream.exchange
    await pause(PAUSE_MS)
  }
}

function withFreshIds(request: SentRequest): SentRequest {
  const trace = newTrace()
  return { ...request, headers: { ...request.headers, ...idHeaders(trace) }, trace }
}

function isOpen({ answer }: Exchange): boolean {
  return answer !== undefined && isFine(answer.status)
}

function isFine(status: number): boolean {
  return Math.floor(status / 100) === 2
}

const PATIENCE_MS = 5_000

/** Sends a request that exceeds the deadline of its route. */
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
