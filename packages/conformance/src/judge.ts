import {
  conditions,
  headerKeys,
  headers,
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
import { currentValidator, isObject } from './offline/file-faults.ts'
import { fail, notObserved, pass, type Rule, type Verdict } from './rule.ts'
import type { Answer } from './wire/exchange.ts'

/** The observations of the ten outcomes. */
export const outcomeObservations = outcomeTypes.map((type) => `outcomes.${type}` as const)

/** The observations whose answer has one of the profile's own bodies, when all is well. */
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
]

/** The observations whose answer may have a trace of its request; a body that the service defines should have one. */
export const tracedObservations: readonly ObservationName[] = [
  'outcomes.success',
  'outcomes.created',
  // An upstream with the trace of another has a rule of its own.
  ...typedObservations.filter((name) => name !== 'mismatched-upstream'),
]

/** The last answer of an observation; rules are asked only when there is one. */
export function answerOf({ exchanges }: Observation): Answer {
  const answer = exchanges.at(-1)?.answer
  if (answer === undefined) throw new Error('a rule was asked about an exchange without an answer')
  return answer
}

/** The outcome type that an observation is of. */
export function typeOf({ name }: Observation): OutcomeType {
  const type = name.slice(name.indexOf('.') + 1)
  return (outcomeTypes as readonly string[]).includes(type) ? (type as OutcomeType) : 'error'
}

/** Status and media type, as a reader compares them. */
export function describeHead({ status, headers }: Answer): string {
  return `${status} ${headers.get(headerKeys.contentType) ?? 'without a media type'}`
}

/** The verdict on status and media type of one row of the table. */
export function judgeRow(type: OutcomeType, answer: Answer): Verdict {
  const { status, mediaType } = outcomes[type]
  if (answer.status === status && answer.essence === mediaType) return pass
  return fail(`${status} ${mediaType}`, describeHead(answer))
}

/** A body of the profile's own with the type that belongs to its observation, or why there is none to judge. */
export function typedBody(
  observation: Observation,
): { body: Readonly<Record<string, unknown>> } | { reason: string } {
  const answer = answerOf(observation)
  if (!isVendorType(answer.essence)) return { reason: 'the answer has no media type of the profile' }
  if (answer.json === undefined) return { reason: answer.cut ?? 'the body is no JSON' }
  return isObject(answer.json.value) ? { body: answer.json.value } : { reason: 'the body is no object' }
}

/** The trace of a body, or why there is none to judge; a body that the service defines may do without. */
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

/** The faults of a body by the published schema of its row; none when status and media type are not the row's. */
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

/** Which faults belong to which rule, so that one fault is told once. */
type FaultOwner = 'trace' | 'clarification' | 'inputs' | 'schema'

function ownerOf({ pointer, rule }: ValidationError, isQuestion: boolean): FaultOwner {
  if (isQuestion && pointer.startsWith('/requiredInputs')) return 'inputs'
  if (rule === 'additionalProperties') return 'schema'
  if (pointer === '/trace' || pointer.startsWith('/trace/')) return 'trace'
  return isQuestion ? 'clarification' : 'schema'
}

/** The verdict on those faults of a body that one rule owns. */
export function judgeFaults(observation: Observation, owner: FaultOwner): Verdict {
  const faults = schemaFaults(observation)
  if ('reason' in faults) return notObserved(faults.reason)
  const isQuestion = answerOf(observation).essence === outcomes.clarification_required.mediaType
  if (!isQuestion && owner !== 'schema') return notObserved('the answer is no clarification')
  const own = faults.filter((fault) => ownerOf(fault, isQuestion) === owner)
  if (own.length === 0) return pass
  return fail(
    'a body as the schema has it',
    own.map(({ pointer, message }) => `${pointer || 'the body'} ${message}`).join('; '),
  )
}

/** One rule for one row of the table. */
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

/** Whether an answer says that its body is JSON. */
export function isJson({ essence }: Answer): boolean {
  return /[/+]json$/.test(essence ?? '')
}

/** Whether an answer is an event stream. */
export function isStream(answer: Answer): boolean {
  return isFine(answer) && answer.essence === EVENT_STREAM
}

/** Whether a request succeeded. */
export function isFine({ status }: Answer): boolean {
  return Math.floor(status / 100) === 2
}

/** The verdict on the profile header, whose value is exactly the version. */
export function judgeProfileHeader({ headers: got }: Answer): Verdict {
  const value = got.get(headerKeys.profile)
  if (value === PROFILE_VERSION) return pass
  return fail(
    `${headers.profile}: ${PROFILE_VERSION}`,
    value === undefined ? 'no such header' : `${headers.profile}: ${value}`,
  )
}

/** The verdict on a generic error body with one code. */
export function judgeError(observation: Observation, code: string): Verdict {
  const { essence, json } = answerOf(observation)
  const { mediaType } = outcomes.error
  if (essence !== mediaType) return fail(mediaType, describeHead(answerOf(observation)))
  const got = isObject(json?.value) ? json.value['code'] : undefined
  return got === code ? pass : fail(`code ${code}`, `code ${JSON.stringify(got) ?? 'absent'}`)
}

/** The verdict on an answer that has to be a refusal, where the same request succeeds with all that it needs. */
export function judgeRefused(observation: Observation): Verdict {
  const right = observation.contrast?.answer
  if (right === undefined || !isFine(right))
    return notObserved('the request does not succeed with its own token and tenant either')
  const answer = answerOf(observation)
  if (refusals.includes(answer.status)) return pass
  return fail(`a refusal, ${refusals.join(' or ')}`, describeHead(answer))
}

// Decisions 4 and 18; what is another tenant's may look like what is not there (decision 6). A failure is no refusal.
const refusals: readonly number[] = [
  conditions.unauthenticated,
  outcomes.forbidden.status,
  conditions.not_found,
]

/** The names of the inputs that a clarification asks for. */
export function askedNames(observation: Observation): string[] {
  const inputs = valueAt(answerOf(observation).json?.value, '$.requiredInputs')
  if (!Array.isArray(inputs)) return []
  return inputs.map((input) => valueAt(input, '$.name')).filter((name) => typeof name === 'string')
}

/** The verdict on the names of what a clarification asks for. */
export function judgeAsks(observation: Observation): Verdict {
  const { asks } = observation.expected ?? {}
  if (asks === undefined) return notObserved('the scenario does not say what is asked for')
  const names = askedNames(observation)
  if (names.length === 0) return notObserved('the answer asks for nothing')
  const missing = asks.filter((name) => !names.includes(name))
  return missing.length === 0 ? pass : fail(`inputs ${asks.join(', ')}`, `inputs ${names.join(', ')}`)
}

/** The verdict on how often a request and its retry had an effect. */
export function judgeEffects({ counts = [], exchanges }: Observation): Verdict {
  const [before = 0, after = 0, end = 0] = counts
  if (after <= before) return notObserved('the first request had no effect that can be counted')
  return end === after ? pass : fail('no effect of the retry', `${end - after} more`, exchanges.at(-1))
}

/** The verdict on files. */
export function judgeFiles({ faults = [] }: Observation): Verdict {
  return faults.length === 0 ? pass : fail('files without a fault', faults.slice(0, MAX_FAULTS).join('; '))
}

const MAX_FAULTS = 10
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** The verdict on an id of the trace that the request carried. */
export function judgeSentId(observation: Observation, name: keyof Trace): Verdict {
  const found = traceOf(observation)
  const sent = observation.exchanges.at(-1)?.request.trace[name]
  if ('reason' in found || sent === undefined) return notObserved('the answer has no trace to compare')
  return found.trace[name] === sent ? pass : fail(sent, found.trace[name])
}

/** The verdict on an id of the trace that the request did not carry: a UUID of version 4 (RFC 9562). */
export function judgeGeneratedId(observation: Observation, name: keyof Trace): Verdict {
  const found = traceOf(observation)
  if ('reason' in found) return notObserved(found.reason)
  return UUID_4.test(found.trace[name]) ? pass : fail('a UUID v4', found.trace[name])
}
