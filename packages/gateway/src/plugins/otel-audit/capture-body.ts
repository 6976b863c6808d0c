/** The most that is kept of a request body (Limits: captured request body). */
export const MAX_CAPTURED_BYTES = 1_048_576

/**
 * The beginning of a body as text, at most 1 MiB of UTF-8, cut between two characters. What is not UTF-8 is shown
 * as U+FFFD, which takes three bytes where one was sent: hence the second cut.
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

/** The last character start at or before `index`. A run of four continuation bytes is no UTF-8: any cut will do. */
function characterStart(bytes: Buffer, index: number): number {
  for (let start = index; start > index - 4; start -= 1) {
    if (!isContinuation(bytes[start])) return start
  }
  return index
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
