import { errorCodes, validationFailed } from '@agentic-rest/gateway'
import { membersOf } from '../json-members.ts'

/** One step of a request, as the admin listener tells it. */
export interface ExplainedStep {
  readonly name: string
  readonly verdict: string
  readonly milliseconds: number
  readonly detail?: string
}

/** The text of a code, and its place in the documents. */
export interface CodeHelp {
  readonly message: string
  readonly cause: string
  readonly fix: string
  readonly page: string
}

/** One request as a gateway or a service saw it. */
export interface ExplainedRequest {
  readonly part: string
  readonly requestId: string
  /** The gateway's own id: a client, or two, may send the same request id twice. */
  readonly spanId?: string
  readonly correlationId: string
  readonly route: string
  readonly tenant: string
  readonly actor: string
  /** Absent in records without one. */
  readonly status?: number
  readonly outcome: string
  readonly startedAt: string
  readonly milliseconds?: number
  readonly code?: string
  readonly rule?: string
  readonly cause?: string
  /** The values that prompt-sanitize replaced, such as `email x1`. */
  readonly redacted?: string
  /** The step that decided, where the other steps are not known. */
  readonly step?: string
  readonly steps?: readonly ExplainedStep[]
  readonly help?: CodeHelp
}

type Fields = Readonly<Record<string, unknown>>

/** Reads an exchange of the admin listener; `undefined` for anything else. */
export function fromExchange(value: unknown): ExplainedRequest | undefined {
  const fields = membersOf(value)
  if (typeof fields['requestId'] !== 'string' || !Array.isArray(fields['steps'])) return undefined
  const steps = fields['steps'].map(membersOf).map((step) => ({
    name: textOf(step['name']),
    verdict: textOf(step['verdict']),
    milliseconds: Number(step['milliseconds']),
    ...optional('detail', step['detail']),
  }))
  return {
    part: 'gateway',
    requestId: fields['requestId'],
    ...optional('spanId', fields['spanId']),
    correlationId: textOf(fields['correlationId']),
    route: textOf(fields['route']),
    tenant: textOf(fields['tenant']),
    actor: textOf(fields['actor']),
    ...statusOf(fields['status']),
    outcome: textOf(fields['outcome']),
    startedAt: textOf(fields['startedAt']),
    milliseconds: Number(fields['milliseconds']),
    ...reasonOf(fields),
    ...optional('redacted', fields['redacted']),
    steps,
  }
}

/** Reads an audit record; `undefined` for anything else. */
export function fromRecord(value: unknown): ExplainedRequest | undefined {
  const fields = membersOf(value)
  if (typeof fields['correlation_id'] !== 'string' || typeof fields['request_id'] !== 'string')
    return undefined
  const attributes = membersOf(fields['attributes'])
  const duration = Number.parseFloat(textOf(attributes['duration_ms']))
  return {
    part: textOf(fields['part'] ?? 'record'),
    requestId: fields['request_id'],
    ...optional('spanId', attributes['span_id']),
    correlationId: fields['correlation_id'],
    route: textOf(fields['operation']),
    tenant: textOf(fields['tenant_id']),
    actor: textOf(fields['actor_id']),
    ...statusOf(attributes['status']),
    outcome: textOf(attributes['outcome_label'] ?? attributes['outcome_type'] ?? fields['outcome']),
    startedAt: textOf(attributes['started_at'] ?? fields['timestamp']),
    ...(Number.isFinite(duration) && { milliseconds: duration }),
    ...reasonOf(attributes),
    ...optional('redacted', attributes['redacted']),
    ...optional('step', attributes['step']),
  }
}

/** Attributes of records are texts. */
function statusOf(value: unknown): Pick<ExplainedRequest, 'status'> {
  const status = Number.parseInt(textOf(value), 10)
  return Number.isNaN(status) ? {} : { status }
}

function reasonOf(fields: Fields): Pick<ExplainedRequest, 'code' | 'rule' | 'cause' | 'help'> {
  const { code } = optional('code', fields['code'])
  const help = code === undefined ? undefined : helpOf(code)
  return {
    ...(code !== undefined && { code }),
    ...optional('rule', fields['rule']),
    ...optional('cause', fields['cause']),
    ...(help !== undefined && { help }),
  }
}

/** The text of a code of the gateway; `undefined` for the codes of services and custom plugins. */
export function helpOf(code: string): CodeHelp | undefined {
  const rows: Readonly<Record<string, Omit<CodeHelp, 'page'>>> = {
    ...errorCodes,
    VALIDATION_FAILED: validationFailed,
  }
  const row = Object.hasOwn(rows, code) ? rows[code] : undefined
  if (row === undefined) return undefined
  const { message, cause, fix } = row
  return { message, cause, fix, page: `docs/errors.md#${code.toLowerCase()}` }
}

/** Files may be damaged: an object is no text, and some cannot become one. */
function textOf(value: unknown): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}

function optional<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [Key in Name]?: string }
}
