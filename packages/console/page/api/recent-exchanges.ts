import { type McpCall, readCall } from './mcp-call.ts'
import { type Fields, fieldsOf, isTrue, listOf, numberOf, textOf, textsOf } from './read-json.ts'

/** A request at the gateway, or several that differ only in their time. Times are milliseconds since 1970. */
export interface RequestGroup {
  /** Of the newest one. */
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly route: string
  /** Empty for requests that were refused before their tenant was known. */
  readonly tenant: string
  readonly actor: string
  readonly status: number
  readonly outcome: string
  /** The code of the gateway's own answer; empty without one. */
  readonly code?: string
  /** Sent by a service behind a gateway, not by the client. */
  readonly inner: boolean
  /** The MCP call that it was made for. */
  readonly mcp: McpCall | null
  /** The arrival of the first one. */
  readonly startMs: number
  /** The arrival of the newest one. */
  readonly lastStartMs: number
  /** The end of the newest one. */
  readonly endMs: number
  readonly count: number
}

/** The end of background work, as its service recorded it. */
export interface EndedWork {
  /** The id of the request that was answered with 202. */
  readonly requestId: string
  readonly tenant: string
  readonly outcome: string
  readonly status: number
  readonly atMs: number
}

/** A recent exchange of the gateway: all requests of one correlation id, oldest first. */
export interface RecentExchange {
  readonly correlationId: string
  /** The arrival of the newest request. */
  readonly at: string
  /** Of the first request with one. */
  readonly tenant: string
  readonly parts: readonly string[]
  readonly requests: readonly RequestGroup[]
  readonly ended: readonly EndedWork[]
}

/** Reads the answer of `/api/recent`. */
export function readRecent(value: unknown): RecentExchange[] {
  return listOf(fieldsOf(value), 'exchanges', function readExchange(item) {
    const fields = fieldsOf(item)
    return {
      correlationId: textOf(fields, 'correlationId'),
      at: textOf(fields, 'at'),
      tenant: textOf(fields, 'tenant'),
      parts: textsOf(fields, 'parts'),
      requests: listOf(fields, 'requests', readRequest),
      ended: listOf(fields, 'ended', readEnd),
    }
  })
}

function readRequest(value: unknown): RequestGroup {
  const fields = fieldsOf(value)
  return {
    requestId: textOf(fields, 'requestId'),
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    route: textOf(fields, 'route'),
    tenant: textOf(fields, 'tenant'),
    actor: textOf(fields, 'actor'),
    status: numberOf(fields, 'status'),
    outcome: textOf(fields, 'outcome'),
    code: textOf(fields, 'code'),
    inner: isTrue(fields, 'inner'),
    mcp: readCall(fields),
    startMs: timeOf(fields, 'at'),
    lastStartMs: timeOf(fields, 'lastAt'),
    endMs: timeOf(fields, 'endedAt'),
    count: numberOf(fields, 'count'),
  }
}

function readEnd(value: unknown): EndedWork {
  const fields = fieldsOf(value)
  return {
    requestId: textOf(fields, 'requestId'),
    tenant: textOf(fields, 'tenant'),
    outcome: textOf(fields, 'outcome'),
    status: numberOf(fields, 'status'),
    atMs: timeOf(fields, 'at'),
  }
}

function timeOf(fields: Fields, name: string): number {
  return Date.parse(textOf(fields, name)) || 0
}
