import { conditions, malformedStatuses, outcomes } from '@agentic-rest/profile'
import { createBodyValidator } from '@agentic-rest/profile/validate'
import type { RawAnswer } from '../read-answers.ts'
import { UPSTREAM_MARK } from './marked-upstream.ts'

/** The origin of an answer, and its fault. */
export interface Judgement {
  readonly maker: 'upstream' | 'gateway' | 'parser'
  readonly fault: string | undefined
}

const bare = new Set<number>(Object.values(malformedStatuses))
const mediaTypes = new Map<number, string>([
  ...Object.values(outcomes).map(({ status, mediaType }) => [status, mediaType] as const),
  ...Object.values(conditions).map((status) => [status, outcomes.error.mediaType] as const),
])

/** Judges answers one by one. */
export function createJudge(): (answer: RawAnswer) => Judgement {
  const validator = createBodyValidator()
  return (answer) => {
    const { headers, status } = answer
    if (headers.has(UPSTREAM_MARK)) return { maker: 'upstream', fault: faultOfPassed(answer) }
    if (bare.has(status) && !headers.has('content-type') && !headers.has('x-agentic-profile'))
      return { maker: 'parser', fault: faultOfBare(answer) }
    return { maker: 'gateway', fault: faultOfOwn(answer, (body) => validator.validate(body).valid) }
  }
}

function one({ headers }: RawAnswer, name: string): string | undefined {
  const values = headers.get(name)
  return values?.length === 1 ? values[0] : undefined
}

/** An answer of the upstream must belong to this request. */
function faultOfPassed(answer: RawAnswer): string | undefined {
  if (one(answer, 'x-agentic-profile') === undefined) return 'the profile header is not there once'
  return one(answer, UPSTREAM_MARK) === one(answer, 'x-request-id')
    ? undefined
    : 'the answer belongs to another request'
}

function faultOfBare(answer: RawAnswer): string | undefined {
  if (one(answer, 'connection')?.toLowerCase() !== 'close')
    return 'a bare answer that does not end the connection'
  return answer.body === '' ? undefined : 'a bare answer with a body'
}

/** Answers of the gateway are typed and valid, with the ids of their headers; own endpoints and preflights excepted. */
function faultOfOwn(answer: RawAnswer, isValid: (body: unknown) => boolean): string | undefined {
  const { status, body } = answer
  if (one(answer, 'x-agentic-profile') === undefined) return 'the profile header is not there once'
  const type = one(answer, 'content-type')
  if (status === 204) return type === undefined ? undefined : 'a preflight with a body'
  if (status === outcomes.success.status) return undefined
  if (type !== mediaTypes.get(status)) return `status ${status} with ${type}`
  // The answer to a HEAD, or an answer cut off by the client.
  if (body === '' || !answer.complete) return undefined
  return faultOfTyped(answer, isValid)
}

function faultOfTyped(answer: RawAnswer, isValid: (body: unknown) => boolean): string | undefined {
  const parsed = parse(answer.body)
  if (parsed === undefined) return 'the body is no JSON'
  if (!isValid(parsed)) return 'the body is not valid'
  const { correlationId, requestId } = parsed.trace ?? {}
  return correlationId === one(answer, 'x-correlation-id') && requestId === one(answer, 'x-request-id')
    ? undefined
    : 'the trace is not that of the headers'
}

function parse(text: string): { trace?: { correlationId?: string; requestId?: string } } | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'latin1').toString())
  } catch {
    return undefined
  }
}
