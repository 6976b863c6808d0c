import { metricValue } from '@agentic-rest/testing/metric-value'
import { type Answer, ids, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import type { GatewayOptions } from '../../src/index.ts'

/** A gateway with one keyed route. */
export interface KeyedGateway extends TestGateway {
  /** Sends a request with a key and a body. */
  book(key: string | undefined, sent?: Booking): Promise<Answer>
  /** The count of a result. */
  counted(result: string): Promise<number>
}

/** The parts of a request that differ. */
export interface Booking {
  readonly body?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** What a keyed gateway is started with. */
export interface KeyedSetting {
  readonly target?: string
  readonly idempotency?: Readonly<Record<string, unknown>>
  readonly route?: Readonly<Record<string, unknown>>
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
  readonly upstreams?: Record<string, unknown>
  readonly options?: Partial<GatewayOptions>
}

/** Starts a gateway whose route `book` keeps keys. */
export async function startKeyed(setting: KeyedSetting): Promise<KeyedGateway> {
  const {
    target,
    idempotency = {},
    route = {},
    gateway = {},
    plugins = {},
    upstreams = {},
    options,
  } = setting
  const started = await startGateway(
    {
      gateway,
      plugins,
      upstreams,
      routes: [
        {
          id: 'book',
          method: 'POST',
          path: '/bookings/{bookingId}',
          ...(target !== undefined && { target }),
          idempotency: { mode: 'required', ...idempotency },
          ...route,
        },
      ],
    },
    options,
  )
  return {
    ...started,
    book: (key, { body = '{"seats":2}', path = '/bookings/7', headers = {}, signal } = {}) =>
      sendRequest(`${started.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
          ...headers,
        },
        body,
        ...(signal && { signal }),
      }),
    counted: async (result) =>
      metricValue(await started.metrics(), 'agentic_idempotency_total', { route: 'book', result }),
  }
}

/** The ids of a retry: another request of the same client. */
export const retryIds = { 'x-request-id': 'req-2', 'x-correlation-id': 'corr-2' }

/** Status and code of an answer. */
export function codeOf({ status, body }: Answer): [number, unknown] {
  return [status, JSON.parse(body.toString()).code]
}

/** The trace of the first request. */
export const firstTrace = ids
