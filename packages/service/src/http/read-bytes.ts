/** Reads a body to its end, or `undefined` when it is longer than `maxBytes`. The rest is then still in the body. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concat(chunks, length)
    length += value.byteLength
    if (length > maxBytes) {
      reader.releaseLock()
      return undefined
    }
    chunks.push(value)
  }
}

const DISCARD_MS = 2_000
const MAX_DISCARD_BYTES = 16 * 1024 * 1024

/**
 * Takes the rest of a request body and throws it away, within bounds. Many clients read the answer only when they
 * have sent everything: a connection that is closed before that loses it. Cancelling would close it at once.
 */
export async function discardRest(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), DISCARD_MS)
  try {
    for (let length = 0; length < MAX_DISCARD_BYTES; ) {
      const read = await Promise.race([reader.read(), late.promise])
      if (read === undefined || read.done) return
      length += read.value.byteLength
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Bytes as text, or `undefined` when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only, ...others] = chunks
  if (only !== undefined && others.length === 0) return only
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
