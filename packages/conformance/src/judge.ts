import {
  conditions,
  headerKeys,
  headers,
  isJsonType,
  isObject,
  isVendorType,
  type OutcomeType,
  outcomes,
  outcomeTypes,
  PROFILE_VERSION,
  type Trace,
} from '@agentic-rest/profile'
import type { ValidationError } from '@agentic-rest/profile/validate'
import { valueAt } from './observe/json-path.ts'
import type { Observation, ObservationName } from './observe/observation.ts'
import { EVENT_STREAM } from './observe/observe-stream.ts'
import { currentValidator } from './offline/file-faults.ts'
import { fail, notObserved, pass, type Rule, type Verdict } from './rule.ts'
import type { Answer } from './wire/exchange.ts'

/** The observations of the ten outcomes. */
export const outcomeObservations = outcomeTypes.map((type) => `outcomes.${type}` as const)

/** The observations whose answer should have a body of the profile. */
export const typedObservations: readonly ObservationName[] = [
  ...outcomeTypes.filter((type) => outcomes[type].schema !== null).map((type) => `outcomes.${type}` as const),
  'limit',
  'deadline',
  'graph.failed_dependency',
  'graph.clarification_required',
  'graph.approval_required',
  'token.missing',
  'token.invalid',
  'token.forged',
  'tenant.foreign',
  'traceless-upstream',
  'mismatched-upstream',
  'unreachable-upstream',
]

/** The observations whose answer may have a trace. Bodies of a service should have one too. */
export const tracedObservations: readonly ObservationName[] = [
  'outcomes.success',
  'outcomes.created',
  // Another rule covers an upstream with the trace of another request.
  ...typedObservations.filter((name) => name !== 'mismatched-upstream'),
]

/** The last answer of an observation. Rules run only if there is one. */
export function answerOf({ exchanges }: Observation): Answer {
  const answer = exchanges.at(-1)?.answer
  if (answer === undefined) throw new Error('a rule was asked about an exchange without an answer')
  return answer
}

/** The outcome type of an observation. */
export function typeOf({ name }: Observation): OutcomeType {
  if (name === 'unreachable-upstream') return 'failed_dependency'
  const type = name.slice(name.indexOf('.') + 1)
  return (outcomeTypes as readonly string[]).includes(type) ? (type as OutcomeType) : 'error'
}

/** Status and media type as text. */
export function describeHead({ status, headers }: Answer): string {
  return `${status} ${headers.get(headerKeys.contentType) ?? 'without a media type'}`
}

/** Checks status and media type against one row of the table. */
export function judgeRow(type: OutcomeType, answer: Answer): Verdict {
  const { status, mediaType } = outcomes[type]
  if (answer.status === status && answer.essence === mediaType) return pass
  return fail(`${status} ${mediaType}`, describeHead(answer))
}

/** The body of an answer with a media type of the profile, or the reason why there is none. */
export function typedBody(
  observation: Observation,
): { body: Readonly<Record<string, unknown>> } | { reason: string } {
  const answer = answerOf(observation)
  if (!isVendorType(answer.essence)) return { reason: 'the answer has no media type of the profile' }
  if (answer.json === undefined) return { reason: answer.cut ?? 'the body is no JSON' }
  return isObject(answer.json.value) ? { body: answer.json.value } : { reason: 'the body is no object' }
}

/** The trace of a body, or the reason why there is none. Bodies of a service may have no trace. */
export function traceOf(observation: Observation): { trace: Trace } | { reason: string } {
  const { essence, json } = answerOf(observation)
  const typed = typedBody(observation)
  const own = essence === outcomes.success.mediaType && isObject(json?.value) ? json.value : undefined
  if (own === undefined && 'reason' in typed) return typed
  const { trace } = own ?? ('reason' in typed ? {} : typed.body)
  const { correlationId, requestId } = isObject(trace) ? trace : {}
  if (
    typeof correlationId !== 'string' ||
    typeof requestId !== 'string' ||
    correlationId === '' ||
    requestId === ''
  )
    return { reason: 'the body has no trace' }
  return { trace: { correlationId, requestId } }
}

/** The faults of a body by the published schema of its media type. */
function schemaFaults(observation: Observation): readonly ValidationError[] | { reason: string } {
  const typed = typedBody(observation)
  if ('reason' in typed) return typed
  const schema = schemaOf(answerOf(observation))
  if (schema === undefined) return { reason: 'the media type is not one of the table' }
  return currentValidator.validateAs(schema, typed.body).errors
}

function schemaOf({ essence }: Answer) {
  const type = outcomeTypes.find((each) => outcomes[each].mediaType === essence)
  return type === undefined ? undefined : (outcomes[type].schema ?? undefined)
}

/** The rule that reports a fault, so that each fault is reported once. */
type FaultOwner = 'trace' | 'clarification' | 'inputs' | 'schema'

function ownerOf({ pointer, rule }: ValidationError, isQuestion: boolean): FaultOwner {
  if (isQuestion && pointer.startsWith('/requiredInputs')) return 'inputs'
  if (rule === 'additionalProperties') return 'schema'
  if (pointer === '/trace' || pointer.startsWith('/trace/')) return 'trace'
  return isQuestion ? 'clarification' : 'schema'
}

/** Checks the faults of a body that belong to one rule. */
export function judgeFaults(observation: Observation, owner: FaultOwner): Verdict {
  const faults = schemaFaults(observation)
  if ('reason' in faults) return notObserved(faults.reason)
  const isQuestion = answerOf(observation).essence === outcomes.clarification_required.mediaType
  if (!isQuestion && owner !== 'schema') return notObserved('the answer is not a clarification')
  const own = faults.filter((fault) => ownerOf(fault, isQuestion) === owner)
  if (own.length === 0) return pass
  return fail(
    'a body as the schema has it',
    own.map(({ pointer, message }) => `${pointer || 'the body'} ${message}`).join('; '),
  )
}

/** Creates the rule for one row of the table. */
export function rowRule(type: OutcomeType): Rule {
  const { status, mediaType } = outcomes[type]
  return {
    id: `row-${type.replaceAll('_', '-')}`,
    clause: `table.${type}`,
    title: `${type} is ${status} with ${mediaType}`,
    level: 'must',
    looksAt: [`outcomes.${type}`],
    judgesSilence: true,
    check: (observation) => judgeRow(type, answerOf(observation)),
  }
}

/** Whether the media type of an answer is JSON. */
export function isJson({ essence }: Answer): boolean {
  return isJsonType(essence)
}

/** Whether an answer is an event stream. */
export function isStream(answer: Answer): boolean {
  return isFine(answer) && answer.essence === EVENT_STREAM
}

/** Whether a request succeeded. */
export function isFine({ status }: Answer): boolean {
  return Math.floor(status / 100) === 2
}

/** Checks the profile header: its value is exactly the version. */
export function judgeProfileHeader({ headers: got }: Answer): Verdict {
  const value = got.get(headerKeys.profile)
  if (value === PROFILE_VERSION) return pass
  return fail(
    `${headers.profile}: ${PROFILE_VERSION}`,
    value === undefined ? 'no such header' : `${headers.profile}: ${value}`,
  )
}

/** Checks for a generic error body with a code. */
export function judgeError(observation: Observation, code: string): Verdict {
  const { essence, json } = answerOf(observation)
  const { mediaType } = outcomes.error
  if (essence !== mediaType) return fail(mediaType, describeHead(answerOf(observation)))
  const got = isObject(json?.value) ? json.value['code'] : undefined
  return got === code ? pass : fail(`code ${code}`, `code ${JSON.stringify(got) ?? 'absent'}`)
}

/** Checks for a refusal. The same request must succeed with its own token and tenant. */
export function judgeRefused(observation: Observation): Verdict {
  const right = observation.contrast?.answer
  if (right === undefined || !isFine(right))
    return notObserved('the request does not succeed with its own token and tenant either')
  const answer = answerOf(observation)
  if (refusals.includes(answer.status)) return pass
  return fail(`a refusal, ${refusals.join(' or ')}`, describeHead(answer))
}

/** Checks that the same request of an admitted caller is not refused. */
export function judgeAdmitted({ contrast }: Observation): Verdict {
  if (contrast === undefined)
    return notObserved('the scenario names no caller that the route admits (outcomes.forbidden.admits)')
  const { answer, failure = 'none', unsent } = contrast
  if (answer === undefined) return unsent ? notObserved(failure) : fail('an answer', failure, contrast)
  if (refusals.includes(answer.status))
    return fail('the admitted caller gets past the refusal', describeHead(answer), contrast)
  const isFailure = answer.status >= outcomes.error.status
  return isFailure ? notObserved('the request of the admitted caller failed for another reason') : pass
}

// Decisions 4 and 18. A resource of another tenant may look missing (decision 6). A 5xx is not a refusal.
const refusals: readonly number[] = [
  conditions.unauthenticated,
  outcomes.forbidden.status,
  conditions.not_found,
]

/** The input names of a clarification. */
export function askedNames(observation: Observation): string[] {
  const inputs = valueAt(answerOf(observation).json?.value, '$.requiredInputs')
  if (!Array.isArray(inputs)) return []
  return inputs.map((input) => valueAt(input, '$.name')).filter((name) => typeof name === 'string')
}

/** Checks that a clarification asks for the expected inputs. */
export function judgeAsks(observation: Observation): Verdict {
  const { asks } = observation.expected ?? {}
  if (asks === undefined) return notObserved('the scenario does not list the requested inputs')
  const names = askedNames(observation)
  if (names.length === 0) return notObserved('the answer asks for nothing')
  const missing = asks.filter((name) => !names.includes(name))
  return missing.length === 0 ? pass : fail(`inputs ${asks.join(', ')}`, `inputs ${names.join(', ')}`)
}

/** Checks that a retry has no further effect. */
export function judgeEffects({ counts = [], exchanges }: Observation): Verdict {
  const [before = 0, after = 0, end = 0] = counts
  if (after <= before) return notObserved('the first request had no effect that can be counted')
  return end === after ? pass : fail('no effect of the retry', `${end - after} more`, exchanges.at(-1))
}

/** Checks files for faults. */
export function judgeFiles({ faults = [] }: Observation): Verdict {
  return faults.length === 0 ? pass : fail('files without a fault', faults.slice(0, MAX_FAULTS).join('; '))
}

const MAX_FAULTS = 10
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Checks that the trace has the id of the request. */
export function judgeSentId(observation: Observation, name: keyof Trace): Verdict {
  const found = traceOf(observation)
  const sent = observation.exchanges.at(-1)?.request.trace[name]
  if ('reason' in found || sent === undefined) return notObserved('the answer has no trace to compare')
  return found.trace[name] === sent ? pass : fail(sent, found.trace[name])
}

/** Checks that the trace has a generated id: a UUID of version 4 (RFC 9562). */
export function judgeGeneratedId(observation: Observation, name: keyof Trace): Verdict {
  const found = traceOf(observation)
  if ('reason' in found) return notObserved(found.reason)
  return UUID_4.test(found.trace[name]) ? pass : fail('a UUID v4', found.trace[name])
}
