import {
  badRequest,
  type HeadLimits,
  headerKey,
  headTooLarge,
  isRequestTarget,
  type WireHead,
} from '@agentic-rest/http1'

/** The head of a stream as Node gives it. */
export interface StreamHead {
  /** Names and values in turn, pseudo headers among them. */
  readonly fields: readonly string[]
  /** No body follows. */
  readonly isEnd: boolean
}

// A line of HTTP/1.1 has a colon, a blank and two bytes for its end; a request line has two blanks, a version and an end.
const LINE_BYTES = 4
const REQUEST_LINE_BYTES = ' '.length + ' HTTP/1.1\r\n'.length

// Control characters; nghttp2 refuses most of them already (RFC 9113, section 8.2.1).
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Brings the head of a stream into the form of HTTP/1.1, with the same limits. nghttp2 has refused upper-case names,
 * connection-specific headers and pseudo headers that are unknown, repeated or late. Throws a `MalformedRequestError`.
 */
export function wireHeadOf({ fields, isEnd }: StreamHead, limits: HeadLimits): WireHead {
  const head = sortFields(fields)
  const { method, authority } = head
  const url = method === 'CONNECT' ? authority : head.path
  if (!isRequestTarget(method, url)) throw badRequest('HPE_INVALID_URL')
  if (method !== 'CONNECT' && !/^https?$/i.test(head.scheme)) throw badRequest('HPE_INVALID_URL')
  const rawHeaders = withHost(head)
  judgeSize(method.length + url.length, rawHeaders, limits)
  return {
    method,
    url,
    httpVersion: '2',
    rawHeaders,
    framing: framingOf(head.length, isEnd || method === 'CONNECT'),
    keepsAlive: true,
  }
}

class SortedFields {
  method = ''
  path = ''
  scheme = ''
  authority = ''
  length: string | undefined = undefined
  readonly headers: string[] = []
  private cookieAt = -1

  add(name: string, value: string): void {
    switch (name) {
      case ':method':
        this.method = value
        return
      case ':path':
        this.path = value
        return
      case ':scheme':
        this.scheme = value
        return
      case ':authority':
        this.authority = value
        return
      case 'cookie':
        this.addCookie(value)
        return
      case 'content-length':
        this.length = value
    }
    if (headerKey(name) === '') throw badRequest('HPE_INVALID_HEADER_TOKEN')
    this.headers.push(name, value)
  }

  /** Clients cut cookies for compression; services expect one header (RFC 9113, section 8.2.3). */
  private addCookie(value: string): void {
    if (this.cookieAt === -1) {
      this.headers.push('cookie', value)
      this.cookieAt = this.headers.length - 1
    } else this.headers[this.cookieAt] += `; ${value}`
  }
}

function sortFields(fields: readonly string[]): SortedFields {
  const sorted = new SortedFields()
  for (let index = 0; index < fields.length; index += 2) {
    const value = fields[index + 1] ?? ''
    if (FORBIDDEN.test(value)) throw badRequest('HPE_INVALID_HEADER_TOKEN')
    sorted.add(fields[index] ?? '', value)
  }
  return sorted
}

/** The authority is the host. A `Host` that says something else stays beside it, and the head is refused for both. */
function withHost({ authority, headers }: SortedFields): string[] {
  if (authority === '') return headers
  const rest: string[] = ['Host', authority]
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const value = headers[index + 1] ?? ''
    const isSameHost = name === 'host' && value.toLowerCase() === authority.toLowerCase()
    if (!isSameHost) rest.push(name, value)
  }
  return rest
}

/** A request has the same size in both protocols, so that both accept the same. */
function judgeSize(targetBytes: number, rawHeaders: readonly string[], limits: HeadLimits): void {
  const lineBytes = targetBytes + REQUEST_LINE_BYTES
  if (lineBytes > limits.maxHeadBytes) throw headTooLarge(true)
  let bytes = lineBytes + (rawHeaders.length / 2) * LINE_BYTES
  for (const text of rawHeaders) bytes += text.length
  if (bytes > limits.maxHeadBytes || rawHeaders.length > limits.maxHeaders * 2) throw headTooLarge(false)
}

/** nghttp2 refuses a length that is no number, is repeated or is not that of the body. */
function framingOf(length: string | undefined, isEnd: boolean): WireHead['framing'] {
  if (isEnd) return 0
  return length === undefined ? 'chunked' : Number(length)
}
