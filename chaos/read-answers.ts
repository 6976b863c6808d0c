/** One answer from the bytes of a socket. */
export interface RawAnswer {
  readonly status: number
  /** Values by lower-case name; repeated headers are a list. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly head: string
  readonly body: string
  /** False for an answer cut off by the end of the connection. */
  readonly complete: boolean
}

/** The answers of a connection, and the fault that ended reading. */
export interface ReadAnswers {
  readonly answers: readonly RawAnswer[]
  /** The reason why the rest is unreadable. */
  readonly fault: string | undefined
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]*$/
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x20-\x7e\x80-\xff\t]*)$/

/**
 * Reads the answers of a connection strictly. `mayBeHead`: the request may be a HEAD, so that an answer with a length may
 * have no body.
 */
export function readAnswers(text: string, mayBeHead: boolean): ReadAnswers {
  const answers: RawAnswer[] = []
  for (let at = 0; at < text.length; ) {
    const next = readAnswer(text, at, mayBeHead)
    if (typeof next === 'string') return { answers, fault: next }
    answers.push(next.answer)
    at = next.end
  }
  return { answers, fault: undefined }
}

interface Read {
  readonly answer: RawAnswer
  readonly end: number
}

function readAnswer(text: string, start: number, mayBeHead: boolean): Read | string {
  const headEnd = text.indexOf('\r\n\r\n', start)
  if (headEnd === -1) {
    const answer = { status: 0, headers: new Map(), head: text.slice(start), body: '', complete: false }
    return text.startsWith('HTTP/1.1 ', start)
      ? { answer, end: text.length }
      : `no answer: ${text.slice(start, start + 80)}`
  }
  const head = text.slice(start, headEnd)
  const parsed = readHead(head)
  if (typeof parsed === 'string') return parsed
  const body = readBody(text, headEnd + 4, { ...parsed, mayBeHead })
  if (typeof body === 'string') return body
  return { answer: { ...parsed, head, body: body.body, complete: body.complete }, end: body.end }
}

function readHead(head: string): Pick<RawAnswer, 'status' | 'headers'> | string {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const status = STATUS_LINE.exec(statusLine)?.[1]
  if (status === undefined) return `no status line: ${statusLine.slice(0, 80)}`
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === undefined) return `no header line: ${line.slice(0, 80)}`
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value])
  }
  return { status: Number(status), headers }
}

interface ReadBody {
  readonly body: string
  readonly end: number
  readonly complete: boolean
}

interface BodyHead extends Pick<RawAnswer, 'status' | 'headers'> {
  readonly mayBeHead: boolean
}

function readBody(text: string, start: number, { status, headers, mayBeHead }: BodyHead): ReadBody | string {
  const none = { body: '', end: start, complete: true }
  if (status < 200 || status === 204 || status === 304) return none
  if (mayBeHead && (start === text.length || text.startsWith('HTTP/1.1 ', start))) return none
  const [length, ...others] = headers.get('content-length') ?? []
  const coding = headers.get('transfer-encoding')
  if (others.length > 0 || (length !== undefined && coding !== undefined)) return 'framed twice'
  if (coding !== undefined) return readChunks(text, start)
  if (length === undefined) return { body: text.slice(start), end: text.length, complete: true }
  if (!/^\d+$/.test(length)) return `no length: ${length}`
  const end = start + Number(length)
  return { body: text.slice(start, end), end: Math.min(end, text.length), complete: end <= text.length }
}

function readChunks(text: string, start: number): ReadBody | string {
  let body = ''
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    const cut = { body, end: text.length, complete: false }
    if (lineEnd === -1) return cut
    const size = text.slice(at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(size)) return `no chunk size: ${size.slice(0, 80)}`
    const dataEnd = lineEnd + 2 + Number.parseInt(size, 16)
    if (dataEnd + 2 > text.length) return cut
    if (!text.startsWith('\r\n', dataEnd)) return 'a chunk without its line end'
    body += text.slice(lineEnd + 2, dataEnd)
    at = dataEnd + 2
    if (dataEnd === lineEnd + 2) return { body, end: at, complete: true }
  }
}
