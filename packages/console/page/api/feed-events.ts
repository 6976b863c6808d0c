import { knownTime } from '../shell/format.ts'
import { type McpCall, readCall, viaOf } from './mcp-call.ts'
import { nameOutcome } from './name-outcome.ts'
import { type Fields, fieldsOf, isTrue, listOf, numberOf, numberOrNull, textOf } from './read-json.ts'

/** One request that passed the gateway. */
export interface RequestRow {
  readonly at: string
  /** The gateway's own id of the request. */
  readonly spanId: string
  readonly route: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly outcome: string
  readonly tenant: string
  readonly actor: string
  readonly correlationId: string
  readonly requestId: string
  readonly durationMs: number
  readonly upstreamMs: number | null
  readonly pluginMs: number
  readonly streamed: boolean
  /** Why the gateway refused or replaced the answer; empty where it did not. */
  readonly code: string
  readonly rule: string
  readonly cause: string
  /** The values that prompt-sanitize replaced, such as `email x1`. */
  readonly redacted: string
  /** The MCP call that it was made for. */
  readonly mcp: McpCall | null
  /** The ways it can be searched by. */
  readonly via: readonly string[]
  /** The end in milliseconds, for the order of rows; 0 while it is unknown. */
  readonly endedMs: number
}

/** Two quantiles in milliseconds. */
export interface Quantiles {
  readonly p50: number
  readonly p99: number
}

/** The open streams of a tenant. */
export interface TenantStreams {
  readonly tenant: string
  readonly open: number
  readonly limit: number
}

/** The requests of one second. */
export interface Summary {
  readonly at: string
  readonly requests: number
  readonly shown: number
  readonly outcomes: ReadonlyMap<string, number>
  readonly latency: Quantiles | null
  readonly upstream: Quantiles | null
  readonly plugins: Quantiles | null
  readonly inFlight: number
  readonly streams: readonly TenantStreams[]
}

/** Reads the data of a `request` event. */
export function readRow(value: unknown): RequestRow {
  const fields = fieldsOf(value)
  const at = textOf(fields, 'at')
  const durationMs = numberOf(fields, 'durationMs')
  const mcp = readCall(fields)
  return {
    at,
    spanId: textOf(fields, 'spanId'),
    route: textOf(fields, 'route'),
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    status: numberOf(fields, 'status'),
    outcome: nameOutcome(textOf(fields, 'outcome'), isTrue(fields, 'streamed')),
    tenant: textOf(fields, 'tenant'),
    actor: textOf(fields, 'actor'),
    correlationId: textOf(fields, 'correlationId'),
    requestId: textOf(fields, 'requestId'),
    durationMs,
    upstreamMs: numberOrNull(fields, 'upstreamMs'),
    pluginMs: numberOf(fields, 'pluginMs'),
    streamed: isTrue(fields, 'streamed'),
    code: textOf(fields, 'code'),
    rule: textOf(fields, 'rule'),
    cause: textOf(fields, 'cause'),
    redacted: textOf(fields, 'redacted'),
    mcp,
    via: viaOf(mcp),
    endedMs: (knownTime(at) ?? -durationMs) + durationMs,
  }
}

/** One page of the remembered requests. */
export interface RequestPage {
  readonly rows: readonly RequestRow[]
  /** Where the next page begins; null after the last one. */
  readonly next: number | null
}

/** Reads the answer of `/api/requests`. */
export function readRequestPage(value: unknown): RequestPage {
  const fields = fieldsOf(value)
  return { rows: listOf(fields, 'requests', readRow), next: numberOrNull(fields, 'next') }
}

/** Reads the data of a `summary` event. */
export function readSummary(value: unknown): Summary {
  const fields = fieldsOf(value)
  const outcomes = fieldsOf(fields.get('outcomes'))
  return {
    at: textOf(fields, 'at'),
    requests: numberOf(fields, 'requests'),
    shown: numberOf(fields, 'shown'),
    outcomes: new Map([...outcomes.keys()].map((name) => [name, numberOf(outcomes, name)])),
    latency: readQuantiles(fields, 'latency'),
    upstream: readQuantiles(fields, 'upstream'),
    plugins: readQuantiles(fields, 'plugins'),
    inFlight: numberOf(fields, 'inFlight'),
    streams: listOf(fields, 'streams', readStreams),
  }
}

function readQuantiles(fields: Fields, name: string): Quantiles | null {
  const inner = fieldsOf(fields.get(name))
  const p50 = numberOrNull(inner, 'p50')
  const p99 = numberOrNull(inner, 'p99')
  return p50 === null || p99 === null ? null : { p50, p99 }
}

function readStreams(value: unknown): TenantStreams {
  const fields = fieldsOf(value)
  return {
    tenant: textOf(fields, 'tenant'),
    open: numberOf(fields, 'open'),
    limit: numberOf(fields, 'limit'),
  }
}
