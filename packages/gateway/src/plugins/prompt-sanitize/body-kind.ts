import { isIdentity, memoize } from '@agentic-rest/http1'
import { headerKeys, headers, isJsonType, mediaTypeEssence, parseMediaType } from '@agentic-rest/profile'
import type { Exchange } from '../../exchange.ts'

/** How a body is parsed. */
export type BodyKind = 'json' | 'lines' | 'form' | 'text'

/** The decision about a body: inspect it, refuse it because of a header, or `uninspected` because of its type. */
export type BodyJudgement =
  | { readonly type: 'inspect'; readonly kind: BodyKind }
  | { readonly type: 'uninspected' }
  | { readonly type: 'refuse'; readonly field: string; readonly message: string }

const UNINSPECTED = { type: 'uninspected' } as const
const INSPECT = {
  json: { type: 'inspect', kind: 'json' },
  lines: { type: 'inspect', kind: 'lines' },
  form: { type: 'inspect', kind: 'form' },
  text: { type: 'inspect', kind: 'text' },
} as const satisfies Record<BodyKind, BodyJudgement>

const OTHER_CHARSET = {
  type: 'refuse',
  field: headers.contentType,
  message: 'The charset must be UTF-8, because the body is inspected.',
} as const
const OTHER_ENCODING = {
  type: 'refuse',
  field: 'Content-Encoding',
  message: 'The body must not be encoded, because it is inspected.',
} as const

/** The inspected types, for the message of a refusal. */
export const INSPECTED_TYPES =
  'application/json, application/x-ndjson, application/x-www-form-urlencoded, application/xml, application/yaml, text/* or no type'

/** Decides about a body by its headers, before reading it. */
export function judgeBody({ headers: sent, body }: Pick<Exchange, 'headers' | 'body'>): BodyJudgement {
  const contentType = sent[headerKeys.contentType]
  const judgement = contentType === undefined ? INSPECT.text : judgeType(contentType)
  if (judgement === UNINSPECTED) return UNINSPECTED
  // The encoding is that of the client's bytes: a body that a custom plugin has replaced is plain.
  return body.isReplaced || isIdentity(sent['content-encoding']) ? judgement : OTHER_ENCODING
}

const judgeType = memoize((contentType): BodyJudgement => {
  const kind = bodyKind(mediaTypeEssence(contentType))
  if (kind === undefined) return UNINSPECTED
  return isUtf8Type(contentType) ? INSPECT[kind] : OTHER_CHARSET
})

// Text types outside `text/`: a value in them must not escape the rules.
const TEXTUAL =
  /^application\/(?:[^/]*[.+-])?(?:json|ndjson|jsonl|json-seq|json5|yaml|xml|graphql|javascript|toml|sql)$/

// One document per line.
const LINES = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/

/** A body with a missing or malformed type is inspected as text. */
function bodyKind(essence: string | undefined): BodyKind | undefined {
  if (essence === undefined) return 'text'
  if (isJsonType(essence)) return 'json'
  if (LINES.test(essence)) return 'lines'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  return essence.startsWith('text/') || essence.endsWith('+xml') || TEXTUAL.test(essence) ? 'text' : undefined
}

/** Malformed parameters are refused: a less strict upstream could read any charset in them. */
function isUtf8Type(contentType: string | undefined): boolean {
  if (mediaTypeEssence(contentType) === undefined) return true
  const charset = parseMediaType(contentType)?.parameters.get('charset')
  if (charset === undefined) return parseMediaType(contentType) !== undefined
  return ['utf-8', 'utf8'].includes(charset.toLowerCase())
}
