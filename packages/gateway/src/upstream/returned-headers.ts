import { headerKey, joined, memoize } from '@agentic-rest/http1'
import { headerKeys, headers as headerNames, PROFILE_VERSION } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import type { UpstreamAnswer } from './dispatch.ts'
import { connectionNames, isHopByHop } from './forwarded-headers.ts'

/** Headers that the gateway sets itself. */
const REPLACED = new Set<string>([headerKeys.profile, headerKeys.correlationId, headerKeys.requestId])

/** The key of a header, or nothing for one that no route returns; cached by the name as it was sent. */
const returnedKey = memoize((name) => {
  const key = headerKey(name)
  return isHopByHop(key, undefined) || REPLACED.has(key) ? '' : key
})

/** Properties of the route and the answer that decide about headers. */
export interface ReturnOptions {
  /** The gateway sets the CORS headers; those of the upstream would contradict them. */
  readonly ownsCors: boolean
  /** An event stream, with fixed caching and framing. */
  readonly stream: boolean
}

/** RFC 9110, section 8.6: 204 has no length; a client that believed one would wait for a body. */
const WRONG_BY_STATUS: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [204, new Set(['content-length'])],
])

const STREAM_REPLACED = new Set<string>([
  headerKeys.contentType,
  'cache-control',
  'content-length',
  'x-accel-buffering',
])

/** The gateway's own limits replace those that an upstream tells. */
const LIMIT_HEADERS: ReadonlySet<string> = new Set(['ratelimit', 'ratelimit-policy'])

interface PassOptions extends ReturnOptions {
  /** Limits of the gateway count the request. */
  readonly isLimited: boolean
}

/** The parts of an answer that decide about its headers. */
export type AnswerHeaders = Pick<UpstreamAnswer, 'status' | 'rawHeaders'>

/** The headers of the client's answer, names and values in turn: first strip the upstream's, then add the gateway's. */
export function returnedHeaders(exchange: Exchange, answer: AnswerHeaders, options: ReturnOptions): string[] {
  const returned = passedHeaders(answer, { ...options, isLimited: exchange.limitHeaders.length > 0 })
  returned.push(headerNames.profile, PROFILE_VERSION)
  returned.push(headerNames.correlationId, exchange.trace.correlationId)
  returned.push(headerNames.requestId, exchange.trace.requestId)
  returned.push(...exchange.limitHeaders)
  if (options.stream) returned.push(...STREAM_HEADERS)
  return returned
}

function passedHeaders({ status, rawHeaders }: AnswerHeaders, options: PassOptions): string[] {
  const { stream } = options
  const named = connectionNames(joinedHeader(rawHeaders, 'connection'))
  const wrong = stream ? STREAM_REPLACED : WRONG_BY_STATUS.get(status)
  const passed: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const key = returnedKey(name)
    if (key === '' || named?.has(key)) continue
    if (isOwn(key, options)) continue
    if (wrong?.has(key)) continue
    passed.push(name, rawHeaders[index + 1] ?? '')
  }
  return passed
}

function isOwn(key: string, { ownsCors, isLimited }: PassOptions): boolean {
  return (ownsCors && key.startsWith('access-control-')) || (isLimited && LIMIT_HEADERS.has(key))
}

/** The fixed headers of an event stream; the last one keeps reverse proxies from buffering it. */
const STREAM_HEADERS = [
  headerNames.contentType,
  'text/event-stream',
  'Cache-Control',
  'no-cache',
  'X-Accel-Buffering',
  'no',
]

/** All values of a header in a list of names and values, joined as in RFC 9110, section 5.3. */
export function joinedHeader(rawHeaders: readonly string[], key: string): string | undefined {
  let value: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (headerKey(rawHeaders[index] ?? '') === key) value = joined(value, rawHeaders[index + 1] ?? '')
  }
  return value
}
