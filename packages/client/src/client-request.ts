/** A value of a path parameter or a header. */
export type TextValue = string | number | boolean

/** A value of a query parameter: a list is sent as one parameter per element, `undefined` not at all. */
export type QueryValue = TextValue | readonly TextValue[] | undefined

/** How one request is sent; each setting goes before the client's own. */
export interface RequestSettings {
  readonly signal?: AbortSignal | undefined
  /** Until the whole answer is read, or until a stream begins; 0 for no limit. */
  readonly timeoutMs?: number | undefined
  readonly tenantId?: string | undefined
  /** Kept from an exchange that this request belongs to; made when absent. */
  readonly correlationId?: string | undefined
  readonly idempotencyKey?: string | undefined
  /** The token of an approval that was given. */
  readonly approvalToken?: string | undefined
  /** Asks for an operation to poll in place of a long wait (RFC 7240, `respond-async`). */
  readonly preferAsync?: boolean | undefined
}

/** One request: an operation by its method and path template, and its inputs. */
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

/** Whether a method has no effect and may be repeated at will (RFC 9110 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase())
}
