import {
  headers,
  headerValue,
  isObject,
  membersOf,
  outcomes,
  parseJson,
  readLastFrame,
  statusOf,
  type Trace,
} from '@agentic-rest/profile'
import { type Answered, type InnerAnswer, readAnswer, type StreamEvent } from './inner-exchange.ts'
import { withoutTokens } from './outcome-result.ts'

const MAX_MESSAGE_BYTES = 2048
const MAX_RESULT_BYTES = 1_048_576

/**
 * Reads a streamed answer to its end. Each event is reported. The result is the outcome of the last frame; of a stream without
 * one, all events together are the body.
 */
export async function readStream(
  answer: InnerAnswer & { readonly events: AsyncIterable<StreamEvent> },
  trace: Trace,
  report: (message: string) => void,
): Promise<Answered> {
  const events: StreamEvent[] = []
  let bytes = 0
  let isTruncated = false
  for await (const { event, data, id } of answer.events) {
    const failure = event === 'error' ? failureOf(data, answer, trace) : undefined
    if (failure !== undefined) return failure
    const outcome = event === 'outcome' ? outcomeOf(data, answer, trace) : undefined
    if (outcome !== undefined) return outcome
    const shown = shownData(data)
    report(cut(shown, MAX_MESSAGE_BYTES))
    bytes += Buffer.byteLength(shown)
    isTruncated ||= bytes > MAX_RESULT_BYTES
    if (!isTruncated)
      events.push({ ...(event !== undefined && { event }), data: shown, ...(id !== undefined && { id }) })
  }
  const body = { events, ...(isTruncated && { truncated: true }) }
  return { status: answer.status, type: 'success', headers: answer.headers, body, trace }
}

/** The gateway ends a failed stream with a frame that has the body of an error. */
function failureOf(data: string, { headers: source }: InnerAnswer, trace: Trace): Answered | undefined {
  const body = parseJson(data, { isMessage: true }).value
  if (!isObject(body) || typeof body['code'] !== 'string') return undefined
  const { status } = body['type'] === 'failed_dependency' ? outcomes.failed_dependency : outcomes.error
  const own = { [headers.contentType]: outcomes.error.mediaType }
  return { ...readAnswer({ status, headers: own, body: data }, trace), headers: source }
}

/** A service of the SDK ends its stream with a frame that has the outcome, and the address of its answer. */
function outcomeOf(data: string, { headers: source }: InnerAnswer, trace: Trace): Answered | undefined {
  const last = readLastFrame({ event: 'outcome', data, id: '' })
  if (last === undefined) return undefined
  const { outcome, location } = last
  const { body } = membersOf(parseJson(data, { isMessage: true }).value)
  const own = {
    get: (name: string) => (name === 'location' && location) || (headerValue(source, name) ?? null),
  }
  return { status: statusOf(outcome), type: outcome.type, headers: own, body, trace }
}

function shownData(data: string): string {
  const { value } = parseJson(data, { isMessage: true })
  const shown = withoutTokens(value)
  return shown === value ? data : JSON.stringify(shown)
}

/** The beginning of a text with at most so many bytes, without half a character. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes)).replace(/\uFFFD+$/, '')
}
