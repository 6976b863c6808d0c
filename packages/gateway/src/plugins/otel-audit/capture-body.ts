import type { Exchange } from '../../exchange.ts'
import type { Log } from '../../log.ts'

/** The maximum size of a captured request body (Limits: captured request body). */
export const MAX_CAPTURED_BYTES = 1_048_576

/** Captures the beginning of the body after prompt-sanitize. The forwarded body stays complete. */
export function captureBody(exchange: Exchange, log: Log): Promise<undefined> | undefined {
  // An uninspected body may hold values that the rules of prompt-sanitize keep out of records.
  if (exchange.bodyUninspected) return undefined
  if (exchange.body.length !== 0) return readBody(exchange, log)
  exchange.requestBodyForAudit = ''
  return undefined
}

async function readBody(exchange: Exchange, log: Log): Promise<undefined> {
  try {
    // `read` applies the limit of the gateway. Above it there is no body, and forwarding refuses the request.
    const body = await exchange.body.read(Number.MAX_SAFE_INTEGER)
    if (body !== undefined) exchange.requestBodyForAudit = captureText(body)
  } catch (error) {
    // Usually the client disconnected: its record is written without a body.
    log.debug('otel-audit could not read a body', { request_id: exchange.trace.requestId, error })
  }
  return undefined
}

/**
 * The beginning of a body as text, at most 1 MiB of UTF-8, cut between two characters. Each byte that is not UTF-8
 * becomes U+FFFD, which takes three bytes: hence the second cut.
 */
export function captureText(body: Buffer): string {
  const text = cutUtf8(body).toString('utf8')
  if (Buffer.byteLength(text) <= MAX_CAPTURED_BYTES) return text
  return cutUtf8(Buffer.from(text)).toString('utf8')
}

function cutUtf8(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_CAPTURED_BYTES) return bytes
  return bytes.subarray(0, characterStart(bytes, MAX_CAPTURED_BYTES))
}

/** The last start of a character at or before `index`. Four continuation bytes are not UTF-8: any cut will do. */
function characterStart(bytes: Buffer, index: number): number {
  for (let start = index; start > index - 4; start -= 1) {
    if (!isContinuation(bytes[start])) return start
  }
  return index
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
