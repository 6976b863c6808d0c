import { type McpCall, readCall } from './mcp-call.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './read-json.ts'

/** One step of a request. */
export interface ExchangeStep {
  readonly name: string
  readonly verdict: string
  readonly milliseconds: number
  readonly detail: string
}

/** A header that the gateway keeps; secrets are `[hidden]`. */
export interface KeptHeader {
  readonly name: string
  readonly value: string
}

/** A remembered request, step by step. */
export interface ExchangeDetail {
  readonly requestId: string
  readonly correlationId: string
  readonly route: string
  readonly tenant: string
  readonly actor: string
  readonly status: number
  readonly outcome: string
  readonly code: string
  readonly rule: string
  readonly cause: string
  readonly redacted: string
  readonly mcp: McpCall | null
  readonly startedAt: string
  readonly milliseconds: number
  readonly steps: readonly ExchangeStep[]
  readonly requestHeaders: readonly KeptHeader[]
  readonly responseHeaders: readonly KeptHeader[]
}

/** Reads the answer of `/api/exchanges/{requestId}`. */
export function readExchangeDetail(value: unknown): ExchangeDetail {
  const fields = fieldsOf(value)
  const kept = fieldsOf(fields.get('headers'))
  return {
    requestId: textOf(fields, 'requestId'),
    correlationId: textOf(fields, 'correlationId'),
    route: textOf(fields, 'route'),
    tenant: textOf(fields, 'tenant'),
    actor: textOf(fields, 'actor'),
    status: numberOf(fields, 'status'),
    outcome: textOf(fields, 'outcome'),
    code: textOf(fields, 'code'),
    rule: textOf(fields, 'rule'),
    cause: textOf(fields, 'cause'),
    redacted: textOf(fields, 'redacted'),
    mcp: readCall(fields),
    startedAt: textOf(fields, 'startedAt'),
    milliseconds: numberOf(fields, 'milliseconds'),
    steps: listOf(fields, 'steps', readStep),
    requestHeaders: readHeaders(kept, 'request'),
    responseHeaders: readHeaders(kept, 'response'),
  }
}

function readStep(value: unknown): ExchangeStep {
  const fields = fieldsOf(value)
  return {
    name: textOf(fields, 'name'),
    verdict: textOf(fields, 'verdict'),
    milliseconds: numberOf(fields, 'milliseconds'),
    detail: textOf(fields, 'detail'),
  }
}

function readHeaders(kept: Fields, name: string): KeptHeader[] {
  return listOf(kept, name, (value) => {
    const fields = fieldsOf(value)
    return { name: textOf(fields, 'name'), value: textOf(fields, 'value') }
  })
}
