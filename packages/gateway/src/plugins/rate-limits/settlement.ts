import type { Exchange } from '../../exchange.ts'
import type { AskedTokens } from '../../limits/asked-tokens.ts'
import type { Costs } from './costs.ts'

/** What a request is charged: its reservation, or tokens and millionths of money. */
export type Charge = 'reserved' | { readonly tokens: number; readonly cost: number }

const NOTHING: Charge = { tokens: 0, cost: 0 }

/** Whether a status says that the request failed: 4xx and 5xx. */
const isFailure = (status: number) => Math.floor(status / 100) >= 4

/**
 * The charge of a finished request. A report of the upstream counts. Without one, a failure costs nothing, and everything
 * else costs the reservation: a 2xx without a report, a time-out, a stream that broke off, a client that left, and a 2xx
 * that the gateway did not pass on: the service has done its work.
 */
export function chargeOf(
  exchange: Pick<Exchange, 'usage' | 'upstreamStartedAt' | 'upstreamStatus' | 'signal' | 'result'>,
  asked: AskedTokens | undefined,
  costs: Costs,
): Charge {
  const { usage, upstreamStartedAt, upstreamStatus, signal, result } = exchange
  if (usage !== undefined) return { tokens: usage.input + usage.output, cost: costs.of(usage, asked?.model) }
  if (upstreamStartedAt === undefined) return NOTHING
  if (upstreamStatus !== undefined) return isFailure(upstreamStatus) ? NOTHING : 'reserved'
  // The service may still work on a request that was given up.
  if (signal.aborted) return 'reserved'
  return isFailure(result?.status ?? 0) ? NOTHING : 'reserved'
}
