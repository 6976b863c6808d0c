/** A request as read by a server. */
export interface SeenRequest {
  readonly method: string
  readonly target: string
  /** Lower-case names and values, in order. */
  readonly headers: readonly (readonly [string, string])[]
  readonly framing: 'none' | 'length' | 'chunked'
  /** As latin1 text. */
  readonly body: string
}

/** Reads the requests of one connection. */
export interface StrictReader {
  add(bytes: Buffer): void
}

/** The callbacks of a reader. */
export interface StrictEvents {
  request(seen: SeenRequest): void
  /** The bytes are not strict HTTP; the reader stops. */
  fault(reason: string): void
}

const REQUEST_LINE = /^([A-Z]+) ([\x21-\x7e]+) HTTP\/1\.[01]$/
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\x20-\x7e\x80-\xff\t]*)$/

/** Creates a reader for strict HTTP only: every ambiguity is a fault. */
export function createStrictReader(events: StrictEvents): StrictReader {
  let text = ''
  let failed = false
  const step = (): boolean => {
    const next = readRequest(text)
    if (next === undefined) return false
    if (typeof next === 'string') {
      failed = true
      events.fault(next)
      return false
    }
    text = text.slice(next.end)
    events.request(next.seen)
    return true
  }
  return {
    add(bytes) {
      if (failed) return
      text += bytes.toString('latin1')
      while (!failed && text !== '' && step());
    },
  }
}

interface Read {
  readonly seen: SeenRequest
  readonly end: number
}

/** The first request of a text, its fault, or nothing while it is incomplete. */
function readRequest(text: string): Read | string | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return /[^\r]\n|\r[^\n]/.test(text) ? `a bare line end: ${show(text)}` : undefined
  const [requestLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? []
  if (method === undefined || target === undefined) return `no request line: ${show(requestLine)}`
  const headers: (readonly [string, string])[] = []
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === undefined) return `no header line: ${show(line)}`
    headers.push([name.toLowerCase(), value])
  }
  const body = readBody(text, headEnd + 4, headers)
  if (body === undefined || typeof body === 'string') return body
  return { seen: { method, target, headers, framing: body.framing, body: body.body }, end: body.end }
}

interface ReadBody extends Pick<SeenRequest, 'framing' | 'body'> {
  readonly end: number
}

function readBody(
  text: string,
  start: number,
  headers: SeenRequest['headers'],
): ReadBody | string | undefined {
  const framing = headers.filter(([name]) => name === 'content-length' || name === 'transfer-encoding')
  const [first, ...others] = framing
  if (others.length > 0) return 'framed twice'
  if (first === undefined) return { framing: 'none', body: '', end: start }
  const [name, value] = first
  if (name === 'transfer-encoding')
    return value === 'chunked' ? readChunks(text, start) : `coding ${show(value)}`
  if (!/^\d{1,9}$/.test(value)) return `length ${show(value)}`
  const end = start + Number(value)
  return end > text.length ? undefined : { framing: 'length', body: text.slice(start, end), end }
}

function readChunks(text: string, start: number): ReadBody | string | undefined {
  let body = ''
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = text.slice(at, lineEnd)
    if (!/^[0-9a-f]{1,8}$/i.test(size)) return `chunk size ${show(size)}`
    const dataEnd = lineEnd + 2 + Number.parseInt(size, 16)
    if (dataEnd + 2 > text.length) return undefined
    if (text.slice(dataEnd, dataEnd + 2) !== '\r\n') return 'a chunk without its line end, or a trailer'
    body += text.slice(lineEnd + 2, dataEnd)
    at = dataEnd + 2
    if (dataEnd === lineEnd + 2) return { framing: 'chunked', body, end: at }
  }
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}

/** The values of a header. */
export function valuesOf({ headers }: Pick<SeenRequest, 'headers'>, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value)
}
