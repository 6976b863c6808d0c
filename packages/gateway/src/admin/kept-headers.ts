import { memoize } from '@agentic-rest/http1'
import { headers as headerNames } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange } from '../exchange.ts'

/** The headers of a request and of its answer. */
export type KeptHeaders = AdminBody<'Exchange'>['headers']

/** Kept with their values. A header that is not listed may hold a secret and is not kept. */
const shown: ReadonlySet<string> = lowerCase([
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Allow',
  'Cache-Control',
  'Content-Encoding',
  'Content-Length',
  headerNames.contentType,
  'Expect',
  headerNames.idempotencyReplayed,
  'If-Match',
  'If-None-Match',
  'Origin',
  'Prefer',
  'Preference-Applied',
  headerNames.profile,
  'RateLimit',
  'RateLimit-Policy',
  headerNames.retryAfter,
  headerNames.tenantId,
  headerNames.traceparent,
  'User-Agent',
  'Vary',
  'WWW-Authenticate',
])

/** Kept without their values: their presence explains an answer. */
const hidden: ReadonlySet<string> = lowerCase([
  headerNames.authorization,
  'Cookie',
  'DPoP',
  headerNames.approvalToken,
  headerNames.idempotencyKey,
  'Proxy-Authorization',
  'Set-Cookie',
])

// Its query may be confidential, and so may a name and a password before its host.
const LOCATION = 'location'
const CONFIDENTIAL = /[?#].*$|(?<=^(?:[a-z][a-z0-9+.-]*:)?\/\/)[^/?#]*@/gi

const HIDDEN_VALUE = '[hidden]'
const LONGEST_VALUE = 120
const MOST_HEADERS = 20

type Display = (value: string) => string

/** How the value of a header is shown; null if the header is not kept. Cached by the name as it was sent. */
const displayOf = memoize((name): Display | null => {
  const key = name.toLowerCase()
  if (shown.has(key)) return cut
  if (hidden.has(key)) return () => HIDDEN_VALUE
  return key === LOCATION ? (value) => cut(value.replace(CONFIDENTIAL, '')) : null
})

function cut(value: string): string {
  return value.length > LONGEST_VALUE ? value.slice(0, LONGEST_VALUE) : value
}

function lowerCase(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}

/**
 * The headers to keep as one text, names and values in turn. `join` copies them: slices would keep the whole head of
 * each remembered request in memory.
 */
export function keepHeaders({
  rawHeaders,
  sentHeaders,
}: Pick<Exchange, 'rawHeaders' | 'sentHeaders'>): string {
  const kept: string[] = []
  pick(rawHeaders, kept)
  kept.push('')
  pick(sentHeaders, kept)
  return kept.join('\n')
}

function pick(pairs: readonly string[], kept: string[]): void {
  const most = kept.length + 2 * MOST_HEADERS
  for (let index = 0; index < pairs.length && kept.length < most; index += 2) {
    const name = pairs[index] ?? ''
    const show = displayOf(name)
    if (show !== null) kept.push(name, show(pairs[index + 1] ?? ''))
  }
}

/** Reads the text of `keepHeaders`. */
export function readKeptHeaders(text: string): KeptHeaders {
  const request: AdminBody<'KeptHeader'>[] = []
  const response: AdminBody<'KeptHeader'>[] = []
  let list = request
  const parts = text.split('\n')
  for (let index = 0; index < parts.length; ) {
    const name = parts[index] ?? ''
    // A name is never empty, so the empty part ends the headers of the request.
    if (name === '') {
      list = response
      index += 1
    } else {
      list.push({ name, value: parts[index + 1] ?? '' })
      index += 2
    }
  }
  return { request, response }
}
