import type { Readable } from 'node:stream'

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  /** Names and values in turn. `Host` and the framing are written here and nowhere else (F1). */
  readonly headers: readonly string[]
  readonly body: Buffer | Readable | undefined
  /** How long the body is, where that is known by the time it is sent. */
  readonly length: () => number | undefined
}

// Header values are bytes, kept as latin1; a line end or a NUL in one would begin another header (RFC 9110, section 5.5).
const FORBIDDEN_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/
const FORBIDDEN_IN_TARGET = /[^\x21-\x7e]/

// Their servers may want a length even where there is no body (RFC 9110, section 8.6).
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** The head of a request. Throws when a header or the target could be read as more than one. */
export function headText(
  { method, path, headers, body }: WireRequest,
  { host, length }: { readonly host: string; readonly length: number | undefined },
): string {
  if (FORBIDDEN_IN_TARGET.test(path) || FORBIDDEN_IN_HEADER.test(headers.join('')))
    throw new TypeError('a header or the target holds a byte that may not be sent')
  // A body that a broken server sends with its answer to HEAD must not be read as the next answer.
  const connection = method === 'HEAD' ? 'close' : 'keep-alive'
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n`
  for (let index = 0; index < headers.length; index += 2)
    text += `${headers[index]}: ${headers[index + 1]}\r\n`
  if (body === undefined)
    return METHODS_WITH_BODY.has(method) ? `${text}content-length: 0\r\n\r\n` : `${text}\r\n`
  // Known lengths are said, because not every service takes chunked bodies; the number is ours, not the client's text.
  const framing = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`
  return `${text}${framing}\r\n\r\n`
}
