import { headerKeys, headers, mediaTypeEssence, parseMediaType } from '@agentic-rest/profile'
import type { Exchange } from '../../exchange.ts'
import { memoized } from '../../upstream/bounded-memo.ts'

/** How a body is read. */
export type BodyKind = 'json' | 'lines' | 'form' | 'text'

/** What the headers say of a body: how to read it, that it is not looked into, or which header stands in the way. */
export type BodyJudgement =
  | { readonly type: 'inspect'; readonly kind: BodyKind }
  | { readonly type: 'skip' }
  | { readonly type: 'refuse'; readonly field: string; readonly message: string }

const SKIP = { type: 'skip' } as const
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

/** Judges a body by its headers, before a byte of it is read. */
export function judgeBody(requestHeaders: Exchange['headers']): BodyJudgement {
  const contentType = requestHeaders[headerKeys.contentType]
  const judgement = contentType === undefined ? INSPECT.text : judgeType(contentType)
  if (judgement === SKIP) return SKIP
  return isIdentity(requestHeaders['content-encoding']) ? judgement : OTHER_ENCODING
}

const judgeType = memoized((contentType): BodyJudgement => {
  const kind = bodyKind(mediaTypeEssence(contentType))
  if (kind === undefined) return SKIP
  return isUtf8Type(contentType) ? INSPECT[kind] : OTHER_CHARSET
})

// Types that are text though they do not say so: what hides in them would hide from every rule.
const TEXTUAL =
  /^application\/(?:[^/]*[.+-])?(?:json|ndjson|jsonl|json-seq|json5|yaml|xml|graphql|javascript|toml|sql)$/

// One document a line.
const LINES = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/

/** A type that is missing or cannot be read says nothing, so the body is read as text. */
function bodyKind(essence: string | undefined): BodyKind | undefined {
  if (essence === undefined) return 'text'
  if (essence === 'application/json' || essence.endsWith('+json')) return 'json'
  if (LINES.test(essence)) return 'lines'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  return essence.startsWith('text/') || TEXTUAL.test(essence) ? 'text' : undefined
}

function isIdentity(encoding = ''): boolean {
  if (encoding === '') return true
  return encoding.split(',').every((name) => ['', 'identity'].includes(name.trim().toLowerCase()))
}

/** Parameters that cannot be read could name any charset to an upstream that is less strict. */
function isUtf8Type(contentType: string | undefined): boolean {
  if (mediaTypeEssence(contentType) === undefined) return true
  const charset = parseMediaType(contentType)?.parameters.get('charset')
  if (charset === undefined) return parseMediaType(contentType) !== undefined
  return ['utf-8', 'utf8'].includes(charset.toLowerCase())
}
