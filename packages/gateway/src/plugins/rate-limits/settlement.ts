import type { Exchange, Usage } from '../../exchange.ts'
import type { AskedTokens } from '../../limits/usage/asked-tokens.ts'
import type { Costs } from './costs.ts'

/** What a request is charged: its reservation, or tokens and millionths of money. */
export type Charge = 'reserved' | { readonly tokens: number; readonly cost: number }

const NOTHING: Charge = { tokens: 0, cost: 0 }

/** Whether a status says that the request failed: 4xx and 5xx. */
const isFailure = (status: number) => Math.floor(status / 100) >= 4

/**
 * The charge of a finished request. A report of the upstream counts. Without one, a failure costs nothing, and a stream
 * costs its input and the events that passed, however it ended. Everything else costs the reservation: a 2xx without a
 * report, a time-out, a client that left, and a 2xx that the gateway did not pass on: the service has done its work.
 */
export function chargeOf(
  exchange: Pick<
    Exchange,
    'usage' | 'produced' | 'upstreamStartedAt' | 'upstreamStatus' | 'signal' | 'result'
  >,
  asked: AskedTokens | undefined,
  costs: Costs,
): Charge {
  const { usage, produced, upstreamStartedAt, upstreamStatus, signal, result } = exchange
  const charge = (used: Usage) => ({ tokens: used.input + used.output, cost: costs.of(used, asked?.model) })
  if (usage !== undefined) return charge(usage)
  if (upstreamStartedAt === undefined) return NOTHING
  if (upstreamStatus !== undefined) {
    if (isFailure(upstreamStatus)) return NOTHING
    if (produced === undefined) return 'reserved'
    return charge({ input: produced.input ?? asked?.input ?? 0, output: produced.output })
  }
  // The service may still work on a request that was given up.
  if (signal.aborted) return 'reserved'
  return isFailure(result?.status ?? 0) ? NOTHING : 'reserved'
}
