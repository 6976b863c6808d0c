import type { HeadLines } from '../head-reader.ts'
import { HeaderLines, listItems, listOptions } from '../header-lines.ts'
import type { HeadLimits } from '../message-faults.ts'
import { badRequest, requestFaults } from './malformed.ts'

/** The head of a request in the words of the client, with the framing of its body. */
export interface WireHead {
  readonly method: string
  readonly url: string
  /** `0.9` where the request line has none, `2` on a stream of HTTP/2. */
  readonly httpVersion: string
  /** Names and values in turn, as they were sent; bytes are kept as latin1. */
  readonly rawHeaders: string[]
  /** A number of bytes, chunks (in HTTP/2 a body without a length), or `unknown` for a coding that only a refusal can answer. */
  readonly framing: number | 'chunked' | 'unknown'
  /** Whether the client wants to keep the connection. */
  readonly keepsAlive: boolean
}

// The methods that Node knows. Others are refused: two servers could disagree about their bodies.
const METHODS: ReadonlySet<string> = new Set(
  (
    'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY ' +
    'OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK ' +
    'UNLOCK UNSUBSCRIBE'
  ).split(' '),
)

const LONGEST_METHOD = 'UNSUBSCRIBE'.length

// RFC 9112, section 3, with one blank between the parts. The forms of the target are those of section 3.2.
const REQUEST_LINE = /^([A-Z-]+) ([\x21-\x7e]+)(?: HTTP\/(1\.1|1\.0|0\.9|2\.0))?$/
const TARGET =
  /^(?:\/[\x21-\x7e]*|\*|[A-Za-z]+:\/\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:%[\]]*@)?[A-Za-z0-9\-._~!$&'()*+,;=:%[\]]+(?:[/?][\x21-\x7e]*)?)$/
const AUTHORITY = /^[A-Za-z0-9\-._~!$&'()*+,;=:%[\]]+$/

// Digits beyond this are no 64-bit number.
const LENGTH = /^\d{1,400}$/
const LARGEST_LENGTH = 2n ** 64n - 1n
const SAFE_DIGITS = 15

/** Whether a target has a form that its method may have. Throws a `MalformedRequestError` for an unknown method. */
export function isRequestTarget(method: string, target: string): boolean {
  if (!METHODS.has(method)) throw badRequest('HPE_INVALID_METHOD')
  return TARGET.test(target) || (method === 'CONNECT' && AUTHORITY.test(target))
}

function isMethodPrefix(text: string): boolean {
  if (text.length > LONGEST_METHOD) return false
  for (const method of METHODS) if (method.startsWith(text)) return true
  return false
}

/** Reads the lines of the heads of requests. Throws a `MalformedRequestError` for each ambiguity. */
export class RequestLines implements HeadLines<WireHead> {
  private method = ''
  private url = ''
  private version = ''
  private readonly fields: HeaderLines

  constructor(limits: HeadLimits) {
    this.fields = new HeaderLines(requestFaults, limits)
  }

  get hasBegun(): boolean {
    return this.method !== ''
  }

  /** A method that is known so far. */
  refuseImpossibleStart(line: string): void {
    const blank = line.indexOf(' ')
    const method = blank === -1 ? line : line.slice(0, blank)
    const isPossible = blank === -1 ? isMethodPrefix(method) : METHODS.has(method)
    if (!isPossible) throw badRequest('HPE_INVALID_METHOD')
  }

  read(text: string, start: number, end: number): void {
    if (this.method === '') this.readRequestLine(text.slice(start, end))
    else this.fields.read(text, start, end)
  }

  take(): WireHead {
    const { method, url, version, fields } = this
    const declared = framingOf(fields)
    const head: WireHead = {
      method,
      url,
      httpVersion: version,
      rawHeaders: fields.raw,
      // Content of a CONNECT has no meaning (RFC 9110, section 9.3.6), and its connection ends.
      framing: method === 'CONNECT' ? 0 : declared,
      keepsAlive: keepsAlive(version, fields.connection),
    }
    this.method = ''
    fields.clear()
    return head
  }

  private readRequestLine(line: string): void {
    const match = REQUEST_LINE.exec(line)
    if (match === null) throw faultOfRequestLine(line)
    const [, method = '', url = '', version = '0.9'] = match
    if (!isRequestTarget(method, url)) throw badRequest('HPE_INVALID_URL')
    this.method = method
    this.url = url
    this.version = version
  }
}

/** RFC 9112, section 6.3, without its optional leniency. */
function framingOf({ length, coding }: HeaderLines): WireHead['framing'] {
  if (coding === undefined) return length === undefined ? 0 : lengthOf(length)
  if (length !== undefined) throw requestFaults.coding()
  const lower = coding.toLowerCase()
  if (lower === 'chunked') return 'chunked'
  // `chunked` may only be the last coding (RFC 9112, section 6.1).
  const items = listItems(lower)
  if (items.includes('') || items.slice(0, -1).includes('chunked')) throw requestFaults.coding()
  return 'unknown'
}

function faultOfRequestLine(line: string): Error {
  const [method = '', target = ''] = line.split(' ')
  if (!METHODS.has(method)) return badRequest('HPE_INVALID_METHOD')
  if (!TARGET.test(target)) return badRequest('HPE_INVALID_URL')
  return badRequest('HPE_INVALID_VERSION')
}

/** Two lengths are joined by a comma and refused, even when they agree. */
function lengthOf(text: string): number {
  if (text.length <= SAFE_DIGITS && LENGTH.test(text)) return Number(text)
  if (!LENGTH.test(text) || BigInt(text) > LARGEST_LENGTH) throw requestFaults.length()
  // Beyond any limit, and never read to its end.
  return Number(text)
}

function keepsAlive(version: string, connection: string | undefined): boolean {
  if (connection === undefined) return version === '1.1'
  const options = listOptions(connection)
  return version === '1.1' ? !options.has('close') : options.has('keep-alive') && !options.has('close')
}
