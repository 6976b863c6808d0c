import { headers as headerNames, outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'

/** A success without a body. */
export const NO_CONTENT = 204

/** An answer that no upstream gave. */
export interface OwnAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Without one the answer has no `Content-Length`. */
  readonly body?: Buffer | undefined
}

/** Sends an answer of the main port, with the headers of the profile. */
export function sendOwn(exchange: Exchange, answer: OwnAnswer): void {
  sendWhole(exchange, { ...answer, headers: { ...answer.headers, ...profileHeaders(exchange) } })
}

/** Sends a value as JSON that no cache keeps. */
export function sendJson(exchange: Exchange, value: unknown, status: number = outcomes.success.status): void {
  sendText(exchange, { status, type: outcomes.success.mediaType, text: JSON.stringify(value) })
}

/** A text with its media type. */
interface OwnText {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Sends a text that no cache keeps. */
export function sendText(exchange: Exchange, { status, type, text }: OwnText): void {
  const headers = { [headerNames.contentType]: type, 'Cache-Control': 'no-store' }
  sendOwn(exchange, { status, headers, body: Buffer.from(text) })
}

/** The headers that the profile requires of every answer. */
export function profileHeaders({ trace }: Pick<Exchange, 'trace'>): Record<string, string> {
  return {
    [headerNames.profile]: PROFILE_VERSION,
    [headerNames.correlationId]: trace.correlationId,
    [headerNames.requestId]: trace.requestId,
  }
}

/** Sends an answer with exactly its headers and its length. An answer to HEAD has no body. */
export function sendWhole(exchange: Exchange, answer: OwnAnswer): void {
  if (sendHead(exchange, answer)) exchange.reply.end(exchange.method === 'HEAD' ? undefined : answer.body)
}

/** Sends the head of an answer; false when no body may follow it. */
export function sendHead(exchange: Exchange, { status, headers, body }: OwnAnswer): boolean {
  const { reply, limitHeaders } = exchange
  if (reply.isClosed) return false
  // A part of another answer has left: only a cut connection tells the client that it failed.
  if (reply.isHeadSent) {
    reply.destroy()
    return false
  }
  const list = Object.entries({ ...headers, ...(body && { 'Content-Length': String(body.length) }) }).flat()
  const sent = [...list, ...limitHeaders]
  if (exchange.trail !== undefined) exchange.sentHeaders = sent
  reply.head(status, sent)
  return true
}
