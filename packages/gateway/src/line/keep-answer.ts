import { isIdentity } from '@agentic-rest/http1'
import { headerKeys, outcomes } from '@agentic-rest/profile'
import { causeOf, refusal } from '../errors.ts'
import type { Exchange, KeptAnswer, KeyClaim, KeyEnd } from '../exchange.ts'
import type { Checked, CheckedAnswer } from '../upstream/check-response.ts'
import { readAhead } from '../upstream/read-ahead.ts'
import { joinedHeader } from '../upstream/returned-headers.ts'

/** Only these answers are stored. Other outcomes had no effect, so that their requests can be clarified, approved or retried. */
const STORED: ReadonlySet<number> = new Set([
  outcomes.success.status,
  outcomes.created.status,
  outcomes.accepted.status,
])

/** The headers that are stored with an answer. */
const STORED_HEADERS: readonly string[] = [headerKeys.contentType, 'location', 'etag', 'preference-applied']

/**
 * Settles the key of a request by its answer, before the client gets it: a retry must not come before its answer is stored.
 * Streams and bodies that are not stored keep the key until they are delivered.
 */
export async function keepAnswer(exchange: Exchange, checked: CheckedAnswer): Promise<Checked> {
  const { keyClaim: claim } = exchange
  const { answer } = checked
  if (claim === undefined) return { checked }
  const end = endOfStatus(answer.status)
  if (end !== undefined) {
    await claim.settle(end)
    return { checked }
  }
  return isStorable(checked) ? await storeAnswer(exchange, checked, claim) : { checked }
}

/** Forms are answered with the address of their result: the request was carried out. */
const RESULT_ELSEWHERE: ReadonlySet<number> = new Set([301, 302, 303])

/** A proxy before the service says that it got no answer: nobody knows whether the request was carried out. */
const NO_ANSWER: ReadonlySet<number> = new Set([502, 504])

/** The end of a key by a status without success; `undefined` for a success, whose body decides. */
export function endOfStatus(status: number): KeyEnd | undefined {
  if (Math.floor(status / 100) === 2) return undefined
  if (RESULT_ELSEWHERE.has(status)) return { type: 'not_replayable' }
  return { type: NO_ANSWER.has(status) ? 'unknown' : 'free' }
}

/** An encoded body is not for every client. */
function isStorable({ answer: { status, rawHeaders }, isEventStream }: CheckedAnswer): boolean {
  return STORED.has(status) && !isEventStream && isIdentity(joinedHeader(rawHeaders, 'content-encoding'))
}

async function storeAnswer(exchange: Exchange, checked: CheckedAnswer, claim: KeyClaim): Promise<Checked> {
  const { answer } = checked
  const bytes = checked.bytes ?? answer.body.takeWhole()
  const read = bytes === undefined ? await readAhead(answer.body, claim.maxStoredBytes) : { bytes }
  if ('error' in read) {
    exchange.signal.throwIfAborted()
    exchange.cause = causeOf(read.error) ?? 'CUT_OFF'
    return { refused: refusal('UPSTREAM_INVALID_RESPONSE') }
  }
  if ('body' in read) return { checked: { ...checked, answer: { ...answer, body: read.body } } }
  // Bytes that were checked are counted already.
  if (checked.bytes === undefined) exchange.heldBytes?.add(read.bytes.length)
  if (read.bytes.length <= claim.maxStoredBytes)
    await claim.settle({ type: 'kept', answer: keptAnswer(checked, read.bytes) })
  return { checked: { ...checked, bytes: read.bytes } }
}

function keptAnswer({ answer: { status, rawHeaders } }: CheckedAnswer, bytes: Buffer): KeptAnswer {
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (STORED_HEADERS.includes(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '')
  }
  return { status, headers, body: bytes.toString('latin1') }
}
