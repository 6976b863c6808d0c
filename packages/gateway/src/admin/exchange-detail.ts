import { outcomes } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Snapshot } from '../lifetime/snapshot.ts'
import { planOf } from '../plugins/plugin-set.ts'
import { roundMs, shownOutcome } from './exchange-times.ts'
import { readKeptHeaders } from './kept-headers.ts'
import {
  listedCall,
  listedRedactions,
  type RecentExchange,
  type RecentExchanges,
  startedAtOf,
} from './recent-exchanges.ts'

type Step = AdminBody<'Step'>

/** A finished request, step by step. */
export type ExchangeDetail = AdminBody<'Exchange'>

/** The id that a client has chosen, and the gateway's own where it is known: any client may repeat the first. */
export interface WantedExchange {
  readonly requestId: string
  readonly spanId?: string
}

/** The newest requests with an id; at most ten. */
export function exchangeDetails(
  { requestId, spanId }: WantedExchange,
  recent: RecentExchanges,
  snapshot: Snapshot,
): ExchangeDetail[] {
  const found: ExchangeDetail[] = []
  for (const exchange of recent.newestFirst()) {
    const isWanted = exchange.requestId === requestId && (spanId ?? exchange.spanId) === exchange.spanId
    if (isWanted && found.length < 10) found.push(detailOf(exchange, snapshot))
  }
  return found
}

function detailOf(exchange: RecentExchange, snapshot: Snapshot): ExchangeDetail {
  const { reason } = exchange
  const rule = reason?.rule ?? (exchange.violations.join(',') || undefined)
  return {
    requestId: exchange.requestId,
    spanId: exchange.spanId,
    correlationId: exchange.correlationId,
    route: exchange.route || 'unmatched',
    tenant: exchange.tenant,
    actor: exchange.actor,
    status: exchange.status,
    outcome: shownOutcome(exchange.outcome, exchange.streamed),
    ...(reason !== undefined && { code: reason.code }),
    ...(rule !== undefined && { rule }),
    ...(reason?.cause !== undefined && { cause: reason.cause }),
    ...listedRedactions(exchange),
    ...listedCall(exchange),
    startedAt: startedAtOf(exchange),
    milliseconds: roundMs(exchange.durationMs),
    steps: stepsOf(exchange, snapshot),
    headers: readKeptHeaders(exchange.headers),
  }
}

function stepsOf(exchange: RecentExchange, snapshot: Snapshot): Step[] {
  const { reason, trail, startedAt, durationMs } = exchange
  const skipped = skippedPlugins(exchange.route, snapshot)
  const steps: Step[] = []
  let before = startedAt
  for (const [index, name] of (trail?.names ?? []).entries()) {
    const endedAt = trail?.endedAt[index] ?? before
    steps.push(stepOf(name, endedAt - before, { exchange, skipped }))
    before = endedAt
  }
  // A cancelled step has no end of its own: it lasted as long as the request.
  if (reason !== undefined && !steps.some(({ name }) => name === reason.step))
    steps.push(stepOf(reason.step, startedAt + durationMs - before, { exchange, skipped }))
  return reason === undefined ? steps : [...steps, ...notReached(steps, exchange.route, snapshot)]
}

const AFTER_PLUGINS = ['upstream', 'check-response', 'deliver']

/** The steps behind the one that ended the request: they show that no service was called. */
function notReached(reached: readonly Step[], routeId: string, { plugins }: Snapshot): Step[] {
  if (routeId === '') return []
  const names = new Set(reached.map(({ name }) => name))
  return [...plugins.map(({ name }) => name), ...AFTER_PLUGINS]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, verdict: 'skipped', milliseconds: 0, detail: 'not reached' }))
}

interface StepContext {
  readonly exchange: RecentExchange
  readonly skipped: ReadonlyMap<string, string>
}

function stepOf(name: string, ms: number, { exchange, skipped }: StepContext): Step {
  const milliseconds = roundMs(Math.max(0, ms))
  const { reason, status, violations, resent } = exchange
  if (reason?.step === name) {
    const isFault = status === outcomes.failed_dependency.status || status >= outcomes.error.status
    const parts = [reason.code, reason.rule, reason.cause].filter((part) => part !== undefined)
    return { name, verdict: isFault ? 'failed' : 'refused', milliseconds, detail: parts.join(', ') }
  }
  const why = skipped.get(name)
  if (why !== undefined) return { name, verdict: 'skipped', milliseconds, detail: why }
  const passed = { name, verdict: 'passed', milliseconds } as const
  const { redacted } = listedRedactions(exchange)
  if (name === 'prompt-sanitize' && redacted !== undefined)
    return { ...passed, detail: `redacted ${redacted}` }
  if (name === 'upstream' && resent) return { ...passed, detail: 'sent again on a new connection' }
  if (name === 'check-response' && violations.length > 0)
    return { ...passed, detail: `the answer broke ${violations.join(', ')}` }
  return passed
}

/** The plugins that do nothing for a route, by the configuration in use now. */
function skippedPlugins(
  routeId: string,
  { config, plugins }: Pick<Snapshot, 'config' | 'plugins'>,
): ReadonlyMap<string, string> {
  const route = config.routes.find(({ id }) => id === routeId)
  if (route === undefined) return new Map()
  const plans = plugins.map((plugin) => planOf(plugin, route)).filter(({ runs }) => !runs)
  return new Map(plans.map(({ name, why }) => [name, why]))
}
