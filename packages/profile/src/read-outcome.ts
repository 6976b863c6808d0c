import { bodyShapes } from './body-shapes.ts'
import { checkShape } from './check-shape.ts'
import { type HeaderSource, headers, headerValue } from './headers.ts'
import { isVendorType, mediaTypeEssence } from './media-type.ts'
import { constantCodes, type Outcome } from './outcome.ts'
import { type Condition, conditionOf, type OutcomeType, outcomes, outcomeTypeOf } from './outcomes.ts'
import { parseJson } from './parse-json.ts'
import { isBareTrace, type Trace } from './trace.ts'

/** One violation of the profile in an answer. */
export interface Violation {
  /** Stable: `status`, `media_type`, `json`, `retry_after`, or `schema.<keyword>`. */
  readonly rule: string
  /** The JSON Pointer in the body; empty for the whole answer. */
  readonly pointer: string
  readonly message: string
}

/** A decoded answer: its outcome and trace, or all its violations. */
export type Reading<SuccessBody = unknown, CreatedBody = SuccessBody> =
  | {
      readonly ok: true
      readonly outcome: Outcome<SuccessBody, CreatedBody>
      /** Always present in vendor-typed bodies, recommended in others. */
      readonly trace: Trace | undefined
      /** The profile version in the header of the answer. */
      readonly profile: string | undefined
    }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/** An answer as plain data, for callers that do not have a `Response`. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: HeaderSource
  readonly body: string
}

/** Decodes a `Response`, which it consumes, or an answer as plain data. This is the only decoder. */
export function readOutcome<S = unknown, C = S>(answer: Response): Promise<Reading<S, C>>
export function readOutcome<S = unknown, C = S>(answer: PlainAnswer): Reading<S, C>
export function readOutcome<S = unknown, C = S>(
  answer: Response | PlainAnswer,
): Reading<S, C> | Promise<Reading<S, C>>
export function readOutcome(answer: Response | PlainAnswer): Reading | Promise<Reading> {
  if (!isResponse(answer)) return readPlain(answer)
  const { status, headers: source } = answer
  return answer.text().then((body) => readPlain({ status, headers: source, body }))
}

interface Row {
  readonly type: OutcomeType
  readonly condition: Condition | undefined
  /** For a status outside the table any of the three types of the generic error body is valid. */
  readonly anyErrorType?: true
}

function readPlain(answer: PlainAnswer): Reading {
  const { status } = answer
  const essence = mediaTypeEssence(headerValue(answer.headers, headers.contentType))
  const row = rowOf(status)
  const [early] = rowViolations(status, essence, row)
  if (row === undefined || early !== undefined) return { ok: false, violations: early ? [early] : [] }
  const parsed = parseJson(answer.body, { isMessage: true })
  if (parsed.fault) return { ok: false, violations: [violation('json', 'the body is not JSON')] }
  const violations = bodyViolations(row, parsed.value)
  if (violations.length > 0) return { ok: false, violations }
  return {
    ok: true,
    ...takeApart(row, parsed.value),
    profile: headerValue(answer.headers, headers.profile),
  }
}

/** An answer in parts. Its body is read only for a media type of the profile. */
export interface AnswerParts {
  readonly status: number
  readonly essence: string | undefined
  readonly body?: unknown
}

/**
 * The violations of an answer that is forwarded. This is less strict than `readOutcome`: a status outside the profile is
 * valid if it is untyped or has a valid generic error body.
 */
export function outcomeViolations({ status, essence, body }: AnswerParts): readonly Violation[] {
  const type = outcomeTypeOf(status)
  const typed = isVendorType(essence)
  if (type === undefined && !typed) return []
  const row = rowOf(status) ?? { type: 'error', condition: undefined, anyErrorType: true }
  const mismatch = rowViolations(status, essence, row)
  if (mismatch.length > 0 || !typed) return mismatch
  return body === undefined ? [] : bodyViolations(row, body)
}

function rowViolations(status: number, essence: string | undefined, row: Row | undefined): Violation[] {
  if (row === undefined) return [violation('status', `status ${status} is not part of the profile`)]
  const { mediaType } = outcomes[row.type]
  if (essence === mediaType) return []
  return [
    violation(
      'media_type',
      `status ${status} has media type ${mediaType}, got ${essence ?? 'no media type'}`,
    ),
  ]
}

function rowOf(status: number): Row | undefined {
  const condition = conditionOf(status)
  if (condition !== undefined) return { type: 'error', condition }
  const type = outcomeTypeOf(status)
  return type && { type, condition: undefined }
}

function bodyViolations({ type, condition, anyErrorType }: Row, body: unknown): Violation[] {
  const { schema } = outcomes[type]
  if (schema === null) return []
  const faults = checkShape(body, bodyShapes[schema])
  if (faults.length > 0) return faults.map((fault) => ({ ...fault, rule: `schema.${fault.rule}` }))
  const fields = body as { type: string; retryAfter?: number }
  // Three types share the generic error body; the status decides which type is valid.
  if (schema === 'error' && fields.type !== type && !anyErrorType)
    return [{ rule: 'schema.const', pointer: '/type', message: `must be "${type}" with this status` }]
  if (fields.retryAfter !== undefined && condition !== 'limit_exceeded')
    return [{ rule: 'retry_after', pointer: '/retryAfter', message: 'belongs to a limit that was exceeded' }]
  return []
}

/** Splits a checked body into outcome and trace, the inverse of the encoder. */
function takeApart({ type, condition }: Row, body: unknown): { outcome: Outcome; trace: Trace | undefined } {
  if (type === 'success' || type === 'created') {
    const { rest, trace } = splitTrace(body)
    return { outcome: { type, body: rest }, trace }
  }
  const { code, trace, ...rest } = body as Record<string, unknown> & { trace: Trace }
  const ownCode = type in constantCodes || code === undefined ? {} : { code }
  const outcome = { ...rest, ...ownCode, type, ...(condition && { condition }) } as unknown as Outcome
  return { outcome, trace }
}

function splitTrace(body: unknown): { rest: unknown; trace: Trace | undefined } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { rest: body, trace: undefined }
  const { trace, ...rest } = body as { trace?: unknown }
  return isBareTrace(trace) ? { rest, trace } : { rest: body, trace: undefined }
}

function violation(rule: string, message: string): Violation {
  return { rule, pointer: '', message }
}

function isResponse(answer: Response | PlainAnswer): answer is Response {
  return 'text' in answer && typeof answer.text === 'function'
}
