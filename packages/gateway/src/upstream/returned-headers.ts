import { headerKeys, headers as headerNames, PROFILE_VERSION } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { memoized } from './bounded-memo.ts'
import { connectionNames, isHopByHop } from './forwarded-headers.ts'
import { joinedHeader } from './upstream-answer.ts'

/** What of an upstream's headers is replaced by the gateway's own. */
const REPLACED = new Set<string>([headerKeys.profile, headerKeys.correlationId, headerKeys.requestId])

/** Whatever the route: by the name as it was sent, which is judged once. */
const neverReturned = memoized((name) => {
  const key = name.toLowerCase()
  return isHopByHop(key, undefined) || REPLACED.has(key)
})

/** How an upstream's headers become the client's. */
export interface ReturnOptions {
  /** The gateway answers for CORS: what the upstream says about it would contradict. */
  readonly ownsCors: boolean
  /** A stream: its caching and framing are fixed. */
  readonly stream: boolean
}

const STREAM_REPLACED = new Set<string>([
  headerKeys.contentType,
  'cache-control',
  'content-length',
  'x-accel-buffering',
])

/** The headers the client gets, names and values in turn: the upstream's, less what is ours, then ours. */
export function returnedHeaders(
  exchange: Exchange,
  rawHeaders: readonly string[],
  options: ReturnOptions,
): string[] {
  const named = connectionNames(joinedHeader(rawHeaders, 'connection'))
  const returned: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (neverReturned(name)) continue
    const key = name.toLowerCase()
    if (named?.has(key)) continue
    if (options.ownsCors && key.startsWith('access-control-')) continue
    if (options.stream && STREAM_REPLACED.has(key)) continue
    returned.push(name, rawHeaders[index + 1] ?? '')
  }
  returned.push(headerNames.profile, PROFILE_VERSION)
  returned.push(headerNames.correlationId, exchange.trace.correlationId)
  returned.push(headerNames.requestId, exchange.trace.requestId)
  if (options.stream) returned.push(...STREAM_HEADERS)
  return returned
}

/** The fixed properties of an SSE response; the last keeps reverse proxies in front from collecting it. */
const STREAM_HEADERS = [
  headerNames.contentType,
  'text/event-stream',
  'Cache-Control',
  'no-cache',
  'X-Accel-Buffering',
  'no',
]
