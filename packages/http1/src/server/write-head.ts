import type { HeadBuffer } from '../head-buffer.ts'
import { headerKey } from '../header-name.ts'
import { memoize } from '../memoize.ts'

/** The parts of a head that depend on request and connection. */
export interface AnswerFraming {
  /** Answers to HEAD, and with some statuses, have no body whatever their headers say. */
  readonly hasBody: boolean
  /** HTTP/1.0 has no chunks: a body without a length ends with the connection. */
  readonly isOld: boolean
  readonly closes: boolean
  /** The value of the header `Date`. */
  readonly date: string
  /** Checks the bytes of the head. */
  readonly heads: HeadBuffer
}

/** The head of an answer as text, and the framing of the body behind it. */
export interface AnswerHead {
  readonly text: string
  readonly framing: 'none' | 'length' | 'chunked' | 'until-close'
}

/** How long a client may keep an idle connection. */
export const KEEP_ALIVE_SECONDS = 65

// Header values are bytes, kept as latin1; a line end or a NUL in one would begin another header (RFC 9110, section 5.5).
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/

const headerKind = memoize((name): 'plain' | 'length' | 'date' | 'invalid' => {
  switch (headerKey(name)) {
    case '':
      return 'invalid'
    case 'content-length':
      return 'length'
    case 'date':
      return 'date'
    default:
      return 'plain'
  }
})

/** Whether a list of headers, names and values in turn, tells the length of the body. */
export function tellsLength(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2)
    if (headerKind(headers[index] ?? '') === 'length') return true
  return false
}

/** Throws for headers with a byte that could begin another header. */
export function refuseForbiddenBytes(headers: readonly string[]): void {
  if (FORBIDDEN.test(headers.join(''))) throw new TypeError('a header holds a byte that may not be sent')
}

/** The error of a header whose name is no token. */
export function invalidName(): TypeError {
  return new TypeError('a header has a name that may not be sent')
}

/** Makes the head of an answer. Throws for a header that could be read as more than one. */
export function answerHead(status: number, headers: readonly string[], options: AnswerFraming): AnswerHead {
  const { closes, date, heads } = options
  let text = statusLine(status)
  let hasLength = false
  let hasDate = false
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const kind = headerKind(name)
    if (kind === 'invalid') throw invalidName()
    if (kind === 'length') hasLength = true
    else if (kind === 'date') hasDate = true
    text += `${name}: ${headers[index + 1]}\r\n`
  }
  const framing = framingOf(options, hasLength)
  const isChunked = framing === 'chunked'
  if (!hasDate) text += `Date: ${date}\r\n`
  text += closes ? CLOSE : KEEP_ALIVE
  text += isChunked ? CHUNKED : '\r\n'
  const lines = headers.length / 2 + (hasDate ? 0 : 1) + (closes ? 1 : 2) + (isChunked ? 1 : 0)
  heads.check(text, lines + STATUS_LINE_AND_EMPTY_LINE)
  return { text, framing }
}

const STATUS_LINE_AND_EMPTY_LINE = 2
const CLOSE = 'Connection: close\r\n'
const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'

function framingOf({ hasBody, isOld }: AnswerFraming, hasLength: boolean): AnswerHead['framing'] {
  if (!hasBody) return 'none'
  if (hasLength) return 'length'
  return isOld ? 'until-close' : 'chunked'
}

/** RFC 9110, section 6.4.1: answers with these statuses never have content. */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 304
}

const reasons: ReadonlyMap<number, string> = new Map(
  [
    ...['200 OK', '201 Created', '202 Accepted', '203 Non-Authoritative Information', '204 No Content'],
    ...[
      '205 Reset Content',
      '206 Partial Content',
      '207 Multi-Status',
      '208 Already Reported',
      '226 IM Used',
    ],
    ...['300 Multiple Choices', '301 Moved Permanently', '302 Found', '303 See Other', '304 Not Modified'],
    ...['305 Use Proxy', '307 Temporary Redirect', '308 Permanent Redirect', '400 Bad Request'],
    ...[
      '401 Unauthorized',
      '402 Payment Required',
      '403 Forbidden',
      '404 Not Found',
      '405 Method Not Allowed',
    ],
    ...['406 Not Acceptable', '407 Proxy Authentication Required', '408 Request Timeout', '409 Conflict'],
    ...['410 Gone', '411 Length Required', '412 Precondition Failed', '413 Content Too Large'],
    ...[
      '414 URI Too Long',
      '415 Unsupported Media Type',
      '416 Range Not Satisfiable',
      '417 Expectation Failed',
    ],
    ...["418 I'm a Teapot", '421 Misdirected Request', '422 Unprocessable Entity', '423 Locked'],
    ...['424 Failed Dependency', '425 Too Early', '426 Upgrade Required', '428 Precondition Required'],
    ...['429 Too Many Requests', '431 Request Header Fields Too Large', '451 Unavailable For Legal Reasons'],
    ...['500 Internal Server Error', '501 Not Implemented', '502 Bad Gateway', '503 Service Unavailable'],
    ...['504 Gateway Timeout', '505 HTTP Version Not Supported', '506 Variant Also Negotiates'],
    ...['507 Insufficient Storage', '508 Loop Detected', '509 Bandwidth Limit Exceeded', '510 Not Extended'],
    '511 Network Authentication Required',
  ].map((line): [number, string] => [Number(line.slice(0, 3)), `HTTP/1.1 ${line}\r\n`]),
)

function statusLine(status: number): string {
  return reasons.get(status) ?? `HTTP/1.1 ${status} unknown\r\n`
}

/** A whole answer without a body, for bytes that are no request. */
export function bareAnswer(status: number): string {
  return `${statusLine(status)}Connection: close\r\nContent-Length: 0\r\n\r\n`
}

/** The value of `Date`, made once a second. */
export class HttpDate {
  private second = 0
  private text = ''

  now(): string {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.second) {
      this.second = second
      this.text = new Date(second * 1000).toUTCString()
    }
    return this.text
  }
}
