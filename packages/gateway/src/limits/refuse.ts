import type { ErrorOutcome, Outcome } from '@agentic-rest/profile'
import { errorCodes } from '../errors.ts'
import type { Exchange } from '../exchange.ts'

/** Soon: something ends every moment. */
const SOON_SECONDS = 1
/** A stream of the tenant has to end, and streams are long. */
const STREAM_SECONDS = 60

/** A reached limit. */
export interface ReachedLimit {
  readonly code: 'LIMIT_EXCEEDED' | 'BUDGET_EXCEEDED' | 'OVERLOADED'
  /** The seconds to wait, for a limit of a tenant. */
  readonly retryAfter?: number
}

const ofGateway: ReachedLimit = { code: 'OVERLOADED' }
const ofTenant: ReachedLimit = { code: 'LIMIT_EXCEEDED', retryAfter: SOON_SECONDS }

/** The fixed limits, by their keys in the configuration without the section. */
const limits = {
  max_in_flight: ofGateway,
  max_in_flight_per_tenant: ofTenant,
  max_buffered_bytes: ofGateway,
  max_buffered_bytes_per_tenant: ofTenant,
  max_upstream_queue_per_origin: ofGateway,
  max_upstream_queue_per_tenant: ofTenant,
  inspection_queue: ofGateway,
  inspection_queue_per_tenant: ofTenant,
  max_sse_connections_per_tenant: { code: 'LIMIT_EXCEEDED', retryAfter: STREAM_SECONDS },
} as const satisfies Record<string, ReachedLimit>

/** The name of a fixed limit. */
export type LimitName = keyof typeof limits

/** A fixed limit stopped a step in the middle. The request is refused with it. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError'
  readonly limit: LimitName

  constructor(limit: LimitName) {
    super(`the limit ${limit} is reached`)
    this.limit = limit
  }
}

/** Refuses a request because of a fixed limit; the message and the audit record name it. */
export function refuse(exchange: Exchange, limit: LimitName): Outcome {
  return refuseBy(exchange, limit, limits[limit])
}

/** Refuses a request because of a policy. */
export function refuseBy(exchange: Exchange, name: string, { code, retryAfter }: ReachedLimit): Outcome {
  exchange.limit = name
  const { type, condition, message } = errorCodes[code]
  const named = message.replace(/\.$/, `: the limit ${name} is reached.`)
  const outcome: ErrorOutcome = { type, code, message: named, condition }
  return retryAfter === undefined ? outcome : { ...outcome, retryAfter }
}

/** The seconds of `Retry-After` for outcomes whose body has no `retryAfter`; `undefined` for an answer without the header. */
export function retryAfterOf(exchange: Exchange, outcome: Outcome): number | undefined {
  switch (outcome.type) {
    case 'failed_dependency':
      return exchange.retryAfterSeconds
    case 'conflict':
      return outcome.code === 'IDEMPOTENCY_IN_PROGRESS' ? SOON_SECONDS : undefined
    case 'error':
      return outcome.condition === 'unavailable' ? SOON_SECONDS : undefined
    default:
      return undefined
  }
}
