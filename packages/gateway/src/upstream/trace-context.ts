import { traceIdOf } from '@agentic-rest/profile/span'
import type { Exchange } from '../exchange.ts'

/** The gateway's span of a request and its trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** The header for the upstream, which makes its spans children of the gateway's (W3C Trace Context). */
  readonly traceparent: string
}

/**
 * The trace context of a request. It is computed, not stored: forwarding and export get the same one at different
 * times, with any exporter. The flag is always "sampled", because no audit record is left out.
 */
export function traceContext({ trace, spanId }: Pick<Exchange, 'trace' | 'spanId'>): TraceContext {
  const traceId = traceIdOf(trace.correlationId)
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` }
}
