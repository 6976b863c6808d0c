import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { isDeeperThan } from './json-depth.ts'
import { joinedHeader } from './upstream-answer.ts'

const MAX_DEPTH = 64

/** The JSON value in a typed body as a client would see it, or `undefined` when it cannot be read within its bounds. */
export function readVendorBody(
  bytes: Buffer,
  rawHeaders: readonly string[],
  maxBytes: number,
): { readonly value: unknown } | undefined {
  const encoding = joinedHeader(rawHeaders, 'content-encoding')?.trim().toLowerCase() ?? ''
  try {
    const content = decode(bytes, encoding, maxBytes)
    if (isDeeperThan(content, MAX_DEPTH)) return undefined
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) }
  } catch {
    return undefined
  }
}

/** The content behind one coding; the client still gets the bytes as they came. A bomb ends at `maxOutputLength`. */
function decode(bytes: Buffer, encoding: string, maxOutputLength: number): Buffer {
  switch (encoding) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, { maxOutputLength })
    case 'deflate':
      return inflate(bytes, maxOutputLength)
    case 'br':
      return brotliDecompressSync(bytes, { maxOutputLength })
    case 'zstd':
      return zstdDecompressSync(bytes, { maxOutputLength })
    default:
      throw new TypeError('an encoding that cannot be read')
  }
}

/** RFC 9110, section 8.4.1.2: some servers leave out the zlib header, and clients take both. */
function inflate(bytes: Buffer, maxOutputLength: number): Buffer {
  const hasHeader = ((bytes[0] ?? 0) & 0x0f) === 8
  return hasHeader ? inflateSync(bytes, { maxOutputLength }) : inflateRawSync(bytes, { maxOutputLength })
}
