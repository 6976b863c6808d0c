import { createHash } from 'node:crypto'
import {
  headers,
  isJsonType,
  type JsonFault,
  MAX_JSON_DEPTH,
  mediaTypeEssence,
  parseJson,
} from '@agentic-rest/profile'
import { endWith, goOn, type Step } from '../answer.ts'
import { invalidAt, refusal, shorten } from '../refusals.ts'

/** The members of a JSON body. */
type JsonObject = Readonly<Record<string, unknown>>

/** The demands on a body. */
interface BodyOptions {
  readonly maxBodyBytes: number
  /** The signed SHA-256 in base64url. */
  readonly digest: string | undefined
}

/** Reads the JSON object of a request body. An absent body is an empty object. */
export async function readBody(
  request: Request,
  { maxBodyBytes, digest }: BodyOptions,
): Promise<Step<JsonObject>> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  const bytes = declared > maxBodyBytes ? undefined : await readBytes(request.body, maxBodyBytes)
  if (bytes === undefined) {
    await discardRest(request.body)
    return endWith(refusal('BODY_TOO_LARGE'))
  }
  if (digest !== undefined && createHash('sha256').update(bytes).digest('base64url') !== digest)
    return endWith(refusal('IDENTITY_INVALID'))
  if (bytes.byteLength === 0) return goOn({})
  const essence = mediaTypeEssence(request.headers.get(headers.contentType) ?? undefined)
  if (!isJsonType(essence)) {
    return endWith(invalidAt(headers.contentType, 'The body has to be sent as application/json.'))
  }
  return parseBody(decodeUtf8(bytes))
}

function parseBody(text: string | undefined): Step<JsonObject> {
  if (text === undefined) return wrongBody('The body is not UTF-8.')
  const { value, fault } = parseJson(text)
  if (fault) return endWith(refusalOf(fault))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrongBody('The body has to be a JSON object.')
  }
  return goOn(value as JsonObject)
}

function refusalOf({ reason, path }: JsonFault): ReturnType<typeof invalidAt> {
  switch (reason) {
    case 'syntax':
      return invalidAt('body', 'The body is not valid JSON.')
    case 'repeated':
      return invalidAt(shorten(path.join('.')) || 'body', 'The name comes twice.')
    case 'too_many':
      return invalidAt('body', 'The body has too many values.')
    case 'too_deep':
      return invalidAt('body', `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`)
    case 'not_finite':
      return invalidAt(shorten(path.join('.')) || 'body', 'The number is too large.')
  }
}

function wrongBody(message: string): Step<never> {
  return endWith(invalidAt('body', message))
}

/** Reads a whole body. Returns `undefined` for more than `maxBytes`; the rest then stays unread. */
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
 * Reads the rest of a request body and discards it, within limits. Many clients read the answer only after they have
 * sent everything, and would lose it if the connection closed earlier. Cancelling would close the connection at once.
 */
async function discardRest(body: ReadableStream<Uint8Array> | null): Promise<void> {
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

/** Decodes UTF-8; returns `undefined` for invalid bytes. */
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
