/** The value of a path parameter or a header. */
export type TextValue = string | number | boolean

/** The value of a query parameter. A list is sent as one parameter per element; `undefined` is not sent. */
export type QueryValue = TextValue | readonly TextValue[] | undefined

/** The settings of one request. They override those of the client. */
export interface RequestSettings {
  readonly signal?: AbortSignal | undefined
  /** The time limit for the whole answer, or for the start of a stream; 0 for none. */
  readonly timeoutMs?: number | undefined
  readonly tenantId?: string | undefined
  /** The id of the whole exchange; a new one by default. */
  readonly correlationId?: string | undefined
  readonly idempotencyKey?: string | undefined
  /** The token of an approval; several are separated by commas. */
  readonly approvalToken?: string | undefined
  /** Asks for a background operation instead of a long wait (RFC 7240, `respond-async`). */
  readonly preferAsync?: boolean | undefined
}

/** One request: method, path template and inputs. */
export interface ClientRequest extends RequestSettings {
  readonly method: string
  /** A template such as `/campaigns/{campaignId}/optimizations`, below the base URL. */
  readonly path: string
  readonly params?: Readonly<Record<string, TextValue>> | undefined
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly headers?: Readonly<Record<string, TextValue>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
}

/** Whether a method is safe and may be repeated (RFC 9110 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase())
}
