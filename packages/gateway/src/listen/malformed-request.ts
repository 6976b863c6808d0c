import type { Socket } from 'node:net'
import { malformedStatuses } from '@agentic-rest/profile'

/** What the parser says about bytes that are no request. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

/** Answers bytes that never became a request: bare, and the connection ends, because nothing after them can be framed. */
export function answerMalformedRequest(error: ParserError, socket: Socket): void {
  // Bytes of an answer that was begun are already out: another status line would become part of its body.
  if (!socket.writable || socket.bytesWritten > 0 || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.end(bareResponse(malformedStatus(error)))
}

/** A response without a body, as text. */
export function bareResponse(status: number): string {
  return `HTTP/1.1 ${status} ${reasons.get(status) ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

const reasons: ReadonlyMap<number, string> = new Map([
  [malformedStatuses.badRequest, 'Bad Request'],
  [malformedStatuses.requestTimeout, 'Request Timeout'],
  [malformedStatuses.contentTooLarge, 'Content Too Large'],
  [malformedStatuses.uriTooLong, 'URI Too Long'],
  [malformedStatuses.headersTooLarge, 'Request Header Fields Too Large'],
])

function malformedStatus({ code, rawPacket }: ParserError): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return malformedStatuses.requestTimeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return malformedStatuses.contentTooLarge
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedStatuses.badRequest
  // No line end yet: it was the request line that did not fit.
  return rawPacket?.includes('\n') === false
    ? malformedStatuses.uriTooLong
    : malformedStatuses.headersTooLarge
}
