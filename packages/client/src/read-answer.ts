import { headers, type Reading, readOutcome, type Violation } from '@agentic-rest/profile'
import { type Answer, type Answered, attachAnswer } from './answer.ts'
import type { Deadline } from './deadline.ts'
import type { Delivered } from './deliver.ts'
import { type ProfileViolationCode, ProfileViolationError, TransportError } from './errors.ts'
import type { Settings } from './settings.ts'

/** Reads a response as an outcome; throws if it violates the profile. */
export async function readAnswer(
  settings: Settings,
  delivered: Delivered,
  deadline: Deadline,
): Promise<Answered> {
  const { response, sent } = delivered
  const answer = readHead(settings, delivered)
  try {
    const body = await readText(response, settings.maxResponseBytes)
    return takeOutcome(readOutcome({ status: answer.status, headers: answer.headers, body }), answer)
  } catch (error) {
    throw error instanceof ProfileViolationError ? error : deadline.failure(error, sent)
  }
}

/** Checks the head of a response: no redirect, and an accepted version. */
export function readHead(settings: Settings, { response, sent }: Delivered): Answer {
  const { status, headers: fields } = response
  const answer: Answer = {
    status,
    headers: fields,
    trace: {
      correlationId: fields.get(headers.correlationId) || sent.correlationId,
      requestId: fields.get(headers.requestId) || sent.requestId,
    },
    profile: fields.get(headers.profile) ?? undefined,
  }
  // Browsers hide the status of a redirect that is not followed; other runtimes show it.
  if (response.type === 'opaqueredirect' || Math.trunc(status / 100) === 3)
    throw refuse('PROFILE_VIOLATION', answer, violation('status', 'the answer is a redirect'))
  if (!settings.meetsDemand(answer.profile)) {
    const message = `the answer has profile version ${answer.profile ?? 'none'}, demanded is ${settings.demand}`
    throw refuse('UNSUPPORTED_PROFILE_VERSION', answer, violation('profile', message))
  }
  return answer
}

/** The outcome of a decoded answer, with the answer; throws its fault. */
export function takeOutcome(reading: Reading, answer: Answer): Answered {
  if (!reading.ok) throw refuse('PROFILE_VIOLATION', answer, ...reading.violations)
  return attachAnswer(reading.outcome, { ...answer, trace: reading.trace ?? answer.trace })
}

/** The error for an answer that violates the profile. */
export function refuse(
  code: ProfileViolationCode,
  answer: Answer,
  ...violations: readonly Violation[]
): ProfileViolationError {
  return new ProfileViolationError(code, { ...answer, violations })
}

/** A violation of the whole answer. */
export function violation(rule: string, message: string): Violation {
  return { rule, pointer: '', message }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let sizeBytes = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    sizeBytes += value.byteLength
    if (sizeBytes > maxBytes)
      throw new TransportError('RESPONSE_TOO_LARGE', `the answer is larger than ${maxBytes} bytes`)
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}
