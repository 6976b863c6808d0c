import { headers, mediaTypeEssence } from '@agentic-rest/profile'
import { endWith, goOn, type Step } from '../answer.ts'
import { invalidAt, refusal } from '../refusals.ts'
import { isDeeperThan, MAX_JSON_DEPTH } from './json-depth.ts'
import { decodeUtf8, discardRest, readBytes } from './read-bytes.ts'

/** The members of a JSON body. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Reads the JSON object in a request body; an absent body is an object without members. */
export async function readBody(request: Request, maxBodyBytes: number): Promise<Step<JsonObject>> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  const bytes = declared > maxBodyBytes ? undefined : await readBytes(request.body, maxBodyBytes)
  if (bytes === undefined) {
    await discardRest(request.body)
    return endWith(refusal('BODY_TOO_LARGE'))
  }
  if (bytes.byteLength === 0) return goOn({})
  const essence = mediaTypeEssence(request.headers.get(headers.contentType) ?? undefined)
  if (essence === undefined || !isJson(essence)) {
    return endWith(invalidAt(headers.contentType, 'The body has to be sent as application/json.'))
  }
  return parseBody(decodeUtf8(bytes))
}

function isJson(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

function parseBody(text: string | undefined): Step<JsonObject> {
  if (text === undefined) return wrongBody('The body is not UTF-8.')
  if (isDeeperThan(text, MAX_JSON_DEPTH))
    return wrongBody(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`)
  const parsed = parse(text)
  if (parsed === undefined) return wrongBody('The body is not valid JSON.')
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrongBody('The body has to be a JSON object.')
  }
  return goOn(value as JsonObject)
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function wrongBody(message: string): Step<never> {
  return endWith(invalidAt('body', message))
}
