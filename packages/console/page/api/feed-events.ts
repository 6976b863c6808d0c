import { nameOutcome } from './name-outcome.ts'
import { type Fields, fieldsOf, isTrue, listOf, numberOf, numberOrNull, textOf } from './read-json.ts'

/** One request that passed the gateway. */
export interface RequestRow {
  readonly at: string
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
  return {
    at: textOf(fields, 'at'),
    route: textOf(fields, 'route'),
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    status: numberOf(fields, 'status'),
    outcome: nameOutcome(textOf(fields, 'outcome'), isTrue(fields, 'streamed')),
    tenant: textOf(fields, 'tenant'),
    actor: textOf(fields, 'actor'),
    correlationId: textOf(fields, 'correlationId'),
    requestId: textOf(fields, 'requestId'),
    durationMs: numberOf(fields, 'durationMs'),
    upstreamMs: numberOrNull(fields, 'upstreamMs'),
    pluginMs: numberOf(fields, 'pluginMs'),
    streamed: isTrue(fields, 'streamed'),
  }
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
