import { createRequire } from 'node:module'
import { readRequestHead } from '../../packages/gateway/src/listen/request-head.ts'
import type { HeadLimits } from '../../packages/http1/src/message-faults.ts'
import { MalformedRequestError } from '../../packages/http1/src/server/malformed.ts'
import type { WireHead } from '../../packages/http1/src/server/request-lines.ts'
import { RequestReader } from '../../packages/http1/src/server/request-reader.ts'

/** A request as a reader understood it. */
export interface ReadRequest {
  /** Method, target, version and headers, as one text. */
  readonly head: string
  /** As latin1 text. */
  body: string
  isComplete: boolean
  /** Node's parser reads no body of it. */
  readonly isUpgrade?: boolean
  /** The reader does not know the end of the body, and the check of heads finds no fault: it would be served all the same. */
  readonly isServedUnframed?: boolean
}

/** The requests of one connection, and how its bytes ended. */
export interface Reading {
  readonly requests: ReadRequest[]
  /** `between` requests, on purpose behind the `last` request of the connection, or the word for the fault. */
  end: string
}

export const LIMITS: HeadLimits = { maxHeadBytes: 16_384, maxHeaders: 100 }

/** Reads bytes with the reader of the gateway, in pieces that end at the cuts. */
export function readWithGateway(bytes: Buffer, cuts: readonly number[] = []): Reading {
  const reading: Reading = { requests: [], end: 'between' }
  const { requests } = reading
  let isLast = false
  const reader = new RequestReader(LIMITS, {
    onHead(head) {
      isLast ||= endsConnection(head)
      const isServedUnframed = head.framing === 'unknown' && readRequestHead(head).headFault === undefined
      requests.push({ head: headText(head), body: '', isComplete: false, isServedUnframed })
    },
    onBody(part) {
      const request = requests.at(-1)
      if (request !== undefined) request.body += part.toString('latin1')
    },
    onComplete() {
      const request = requests.at(-1)
      if (request !== undefined) request.isComplete = true
    },
  })
  try {
    let from = 0
    for (const cut of [...cuts, bytes.length]) {
      const piece = bytes.subarray(from, cut)
      for (let at = 0; at < piece.length && !(isLast && requests.at(-1)?.isComplete); )
        at = reader.read(piece, at)
      from = cut
    }
    if (isLast && requests.at(-1)?.isComplete) reading.end = 'last'
    else reader.end()
  } catch (error) {
    if (!(error instanceof MalformedRequestError)) throw error
    reading.end = error.code
  }
  return reading
}

/** Whether the gateway reads nothing behind a request. */
function endsConnection({ method, keepsAlive, framing, rawHeaders }: WireHead): boolean {
  const isUpgrade = rawHeaders.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'upgrade')
  return method === 'CONNECT' || !keepsAlive || framing === 'unknown' || isUpgrade
}

function headText({
  method,
  url,
  httpVersion,
  rawHeaders,
}: Omit<WireHead, 'framing' | 'keepsAlive'>): string {
  return JSON.stringify([method, url, httpVersion, ...rawHeaders])
}

/** The part of Node's parser that is used here; it has no types, because it is not public. */
interface NodeParser {
  [callback: number]: (...values: never[]) => unknown
  initialize(type: number, resource: object, maxHeaderSize: number, lenient: number): void
  execute(bytes: Buffer): number | Error
  finish(): Error | undefined
  close(): void
  maxHeaderPairs?: number
}

interface NodeParserClass {
  new (): NodeParser
  readonly REQUEST: number
  readonly kOnHeaders: number
  readonly kOnHeadersComplete: number
  readonly kOnBody: number
  readonly kOnMessageComplete: number
}

interface NodeHttp {
  readonly HTTPParser: NodeParserClass
  readonly methods: readonly string[]
}

// The number of QUERY, which stands behind the methods of other protocols and is not in the list.
const QUERY = 46
const { HTTPParser, methods } = createRequire(import.meta.url)('_http_common') as NodeHttp

/** Reads bytes with llhttp, the parser of Node, in pieces that end at the cuts. */
export function readWithNode(bytes: Buffer, cuts: readonly number[] = []): Reading {
  const reading: Reading = { requests: [], end: 'between' }
  const { requests } = reading
  const parser = new HTTPParser()
  parser.initialize(HTTPParser.REQUEST, {}, LIMITS.maxHeadBytes, 0)
  parser.maxHeaderPairs = LIMITS.maxHeaders * 2
  let early: string[] = []
  let earlyUrl = ''
  let isUpgrade = false
  parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
    early.push(...headers)
    earlyUrl += url
  }
  parser[HTTPParser.kOnHeadersComplete] = (
    major: number,
    minor: number,
    headers: string[] | undefined,
    method: number,
    url: string | undefined,
    _status: number,
    _message: string,
    upgrade: boolean,
  ) => {
    const rawHeaders = [...early, ...(headers ?? [])]
    const name = method === QUERY ? 'QUERY' : (methods[method] ?? '')
    requests.push({
      head: headText({
        method: name,
        url: earlyUrl + (url ?? ''),
        httpVersion: `${major}.${minor}`,
        rawHeaders,
      }),
      body: '',
      isComplete: false,
      isUpgrade: upgrade,
    })
    early = []
    earlyUrl = ''
    isUpgrade = upgrade
    return name === 'CONNECT' ? 2 : 0
  }
  parser[HTTPParser.kOnBody] = (part: Buffer) => {
    const request = requests.at(-1)
    if (request !== undefined) request.body += part.toString('latin1')
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    const request = requests.at(-1)
    if (request !== undefined) request.isComplete = true
    // Trailers.
    early = []
    earlyUrl = ''
  }
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    // An upgrade that the server ignores: Node's parser stops, and the gateway ends the connection.
    if (isUpgrade && requests.at(-1)?.isComplete) break
    const result = cut > from ? parser.execute(bytes.subarray(from, cut)) : 0
    if (result instanceof Error) {
      reading.end = codeOf(result)
      parser.close()
      return reading
    }
    from = cut
  }
  if (isUpgrade) reading.end = 'last'
  else {
    const fault = parser.finish()
    if (fault instanceof Error) reading.end = codeOf(fault)
  }
  parser.close()
  return reading
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message
}
