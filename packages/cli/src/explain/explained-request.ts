import { errorCodes, validationFailed } from '@agentic-rest/gateway'
import { type AdminReading, adminBodies } from '@agentic-rest/profile/admin'

/** One step of a request; `detail` is absent if it is empty. */
export type ExplainedStep = Omit<AdminReading<'Step'>, 'detail'> & { readonly detail?: string }

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

/** Reads an exchange of the admin listener; `undefined` for anything else. */
export function fromExchange(value: unknown): ExplainedRequest | undefined {
  const { requestId, correlationId, route, tenant, actor, outcome, startedAt, milliseconds, ...read } =
    adminBodies.Exchange.read(value)
  if (requestId === '') return undefined
  return {
    part: 'gateway',
    requestId,
    ...given('spanId', read.spanId),
    correlationId,
    route,
    tenant,
    actor,
    ...(read.status > 0 && { status: read.status }),
    outcome,
    startedAt,
    milliseconds,
    ...reasonOf(read),
    ...given('redacted', read.redacted),
    steps: read.steps.map(({ detail, ...step }) => ({ ...step, ...given('detail', detail) })),
  }
}

type AuditRecord = AdminReading<'Records'>['records'][number]

/** The request of an audit record; `undefined` for one without ids. */
export function fromRecord(record: AuditRecord): ExplainedRequest | undefined {
  const { part, request_id, correlation_id, operation, tenant_id, actor_id, outcome, timestamp, attributes } =
    record
  if (correlation_id === '' || request_id === '') return undefined
  const attribute = (name: string) => attributes.get(name) ?? ''
  // Attributes of records are texts.
  const status = Number.parseInt(attribute('status'), 10)
  const duration = Number.parseFloat(attribute('duration_ms'))
  return {
    part: part || 'record',
    requestId: request_id,
    ...given('spanId', attribute('span_id')),
    correlationId: correlation_id,
    route: operation,
    tenant: tenant_id,
    actor: actor_id,
    ...(Number.isFinite(status) && { status }),
    outcome: attributes.get('outcome_label') ?? attributes.get('outcome_type') ?? outcome,
    startedAt: attribute('started_at') || timestamp,
    ...(Number.isFinite(duration) && { milliseconds: duration }),
    ...reasonOf({ code: attribute('code'), rule: attribute('rule'), cause: attribute('cause') }),
    ...given('redacted', attribute('redacted')),
    ...given('step', attribute('step')),
  }
}

interface Reason {
  readonly code: string
  readonly rule: string
  readonly cause: string
}

function reasonOf({ code, rule, cause }: Reason): Pick<ExplainedRequest, 'code' | 'rule' | 'cause' | 'help'> {
  const help = helpOf(code)
  return {
    ...given('code', code),
    ...given('rule', rule),
    ...given('cause', cause),
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

/** A member that is left out if it is empty. */
function given<Name extends string>(name: Name, value: string): { readonly [Key in Name]?: string } {
  return (value === '' ? {} : { [name]: value }) as { readonly [Key in Name]?: string }
}
