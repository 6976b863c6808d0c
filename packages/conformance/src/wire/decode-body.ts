import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A body as text, or why it cannot be read. */
export interface DecodedBody {
  readonly text: string
  readonly fault: string | undefined
}

const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** Undoes a content encoding, which was not asked for, within a bound: a few bytes can stand for gigabytes. */
export function decodeBody(bytes: Buffer, encoding: string | undefined, maxBytes: number): DecodedBody {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return decodeText(bytes)
  const decode = decoders.get(name)
  if (decode === undefined)
    return { text: '', fault: 'the content encoding is not one of gzip, deflate and br' }
  try {
    return decodeText(decode(bytes, { maxOutputLength: maxBytes }))
  } catch {
    return { text: '', fault: `the body cannot be unpacked into ${maxBytes} bytes` }
  }
}

function decodeText(bytes: Buffer): DecodedBody {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), fault: undefined }
  } catch {
    return { text: bytes.toString('latin1'), fault: 'the body is not UTF-8 text' }
  }
}
