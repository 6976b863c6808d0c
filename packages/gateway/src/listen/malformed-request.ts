import type { Socket } from 'node:net'
import { malformedStatuses } from '@agentic-rest/profile'
import { type Connection, endConnection, isOpen, type OpenRequest } from './connection.ts'

/** The parser's error for bytes that are no request. */
export interface ParserError extends Error {
  readonly code?: string
  /** How far the parser came in `rawPacket`. */
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

/** A malformed request: there is no exchange for it. */
export interface MalformedRequest {
  readonly status: number
  /** What the parser calls the fault. */
  readonly cause: string
  readonly clientAddress: string
}

/**
 * Answers bytes that are no request with a bare status, and ends the connection: the next bytes cannot be framed. Returns
 * nothing when it was answered before, or when there is nobody to answer.
 */
export function answerMalformedRequest(
  error: ParserError,
  socket: Socket,
  connection: Connection,
): MalformedRequest | undefined {
  // The parser complains again with every packet that still comes.
  if (connection.broken) return undefined
  connection.broken = true
  if (!socket.writable || !isParserError(error)) {
    socket.destroy()
    return undefined
  }
  const status = malformedStatus(error)
  const answer = bareResponse(status)
  const { newest } = connection
  if (newest === undefined) endConnection(socket, answer)
  else if (newest.request.complete) endBehind(newest, socket, answer)
  else endWithin(newest, socket, answer)
  return { status, cause: error.code ?? '', clientAddress: socket.remoteAddress ?? '' }
}

/** After a reset or a failed handshake there is nobody to answer. */
function isParserError({ code = '' }: ParserError): boolean {
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT'
}

/** The malformed bytes follow a good request, whose answer goes first. */
function endBehind(newest: OpenRequest, socket: Socket, answer: string): void {
  if (isOpen(newest)) newest.response.once('close', () => endConnection(socket, answer))
  else endConnection(socket, answer)
}

/** The malformed bytes are in the body of the newest request. */
function endWithin(newest: OpenRequest, socket: Socket, answer: string): void {
  const { response, signal } = newest
  if (!response.headersSent) {
    signal.cancel('client_disconnect')
    // While answers of earlier requests are due, this one has no socket.
    if (response.socket === null) response.once('socket', () => endConnection(socket, answer))
    else endConnection(socket, answer)
    return
  }
  // A second status line would become part of the answer that is already on its way.
  if (response.writableEnded && isOpen(newest)) response.once('close', () => endConnection(socket))
  else socket.destroy()
}

/** A response without a body, as text. */
function bareResponse(status: number): string {
  return `HTTP/1.1 ${status} ${reasons.get(status) ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

const reasons: ReadonlyMap<number, string> = new Map([
  [malformedStatuses.badRequest, 'Bad Request'],
  [malformedStatuses.requestTimeout, 'Request Timeout'],
  [malformedStatuses.contentTooLarge, 'Content Too Large'],
  [malformedStatuses.uriTooLong, 'URI Too Long'],
  [malformedStatuses.headersTooLarge, 'Request Header Fields Too Large'],
])

function malformedStatus(error: ParserError): number {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return malformedStatuses.requestTimeout
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return malformedStatuses.contentTooLarge
  if (error.code !== 'HPE_HEADER_OVERFLOW') return malformedStatuses.badRequest
  return isInRequestLine(error) ? malformedStatuses.uriTooLong : malformedStatuses.headersTooLarge
}

/** Whether the head outgrew its limit in its first line, as far as the last packet tells. */
function isInRequestLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): boolean {
  const read = rawPacket.toString('latin1', 0, bytesParsed)
  if (read.includes('\n')) return false
  // A target ends with a blank, where the parser stops; a packet in the middle of one does not tell.
  return rawPacket[bytesParsed] === 0x20 || /^[A-Z-]+ /.test(read)
}
