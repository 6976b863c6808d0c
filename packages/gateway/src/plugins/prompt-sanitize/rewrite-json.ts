import { anyOf } from './detectors/character-kinds.ts'
import { runEnd } from './detectors/find-matches.ts'
import { plainDecimal } from './plain-decimal.ts'
import type { Rejection, TextRedactor } from './redact-text.ts'
import { makeKeysUnique, type RedactedKey } from './unique-keys.ts'

/** Arrays and objects within each other; deeper documents are refused (F14). */
export const MAX_DEPTH = 64

/** How the parts of a document are treated. */
export interface JsonTreatment {
  /** Treats a string value, which may hold a document of its own. */
  readonly value: TextRedactor
  /** Treats keys and numbers. */
  readonly text: TextRedactor
}

/** A rejection and where in the document it happened, as a JSON pointer. */
export interface JsonRejection extends Rejection {
  readonly pointer: string
}

/** The document as it may go on (the same string when nothing was found), or why it may not. */
export type JsonResult =
  | string
  | JsonRejection
  | { readonly type: 'malformed' }
  | { readonly type: 'too_deep' }

interface Edit {
  readonly start: number
  readonly end: number
  replacement: string
}

/** An object or array that is open at the current place. */
interface Frame {
  readonly isObject: boolean
  expectsKey: boolean
  /** The current member as the pointer names it: an index, or the key as far as it may be shown. */
  member: string | number
  /** The nearest key as it was sent, which announces what the values are. */
  hint: string
  readonly keptKeys: string[]
  readonly redactedKeys: RedactedKey[]
}

interface Walk extends JsonTreatment {
  readonly source: string
  /** The key above the whole document. */
  readonly hint: string
  readonly frames: Frame[]
  readonly edits: Edit[]
  index: number
}

const isNumberUnit = anyOf('0123456789+-.eE')

/**
 * Treats the strings, numbers and keys of a document and leaves every other byte as it is: white space, the form of
 * numbers, the order and repetition of keys. `JSON.parse` judges the grammar, but its result is not used: it would have
 * lost the digits of large numbers and all but the last of equal keys, which an upstream may read differently.
 */
export function rewriteJson(source: string, treatment: JsonTreatment, hint = ''): JsonResult {
  if (!isJson(source)) return { type: 'malformed' }
  const walk: Walk = { ...treatment, source, hint, frames: [], edits: [], index: 0 }
  while (walk.index < source.length) {
    const stop = step(walk)
    if (stop !== undefined) return stop
  }
  return applyEdits(source, walk.edits)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Goes over one token. The grammar is known to be right, so literals and white space need no attention. */
function step(walk: Walk): Exclude<JsonResult, string> | undefined {
  switch (walk.source.charAt(walk.index)) {
    case '{':
      return open(walk, true)
    case '[':
      return open(walk, false)
    case '}':
    case ']':
      return close(walk)
    case ',':
      return nextMember(walk)
    case '"':
      return walk.frames.at(-1)?.expectsKey === true ? takeKey(walk) : takeString(walk)
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return takeNumber(walk)
    default:
      walk.index++
      return undefined
  }
}

function open(walk: Walk, isObject: boolean): { type: 'too_deep' } | undefined {
  if (walk.frames.length === MAX_DEPTH) return { type: 'too_deep' }
  walk.frames.push({
    isObject,
    expectsKey: isObject,
    member: 0,
    hint: hintOf(walk),
    keptKeys: [],
    redactedKeys: [],
  })
  walk.index++
  return undefined
}

function close(walk: Walk): undefined {
  const frame = walk.frames.pop()
  walk.index++
  if (frame === undefined || frame.redactedKeys.length === 0) return
  makeKeysUnique(frame.redactedKeys, frame.keptKeys, (name) => walk.text(name, '') === name)
}

function nextMember(walk: Walk): undefined {
  const frame = walk.frames.at(-1)
  walk.index++
  if (frame === undefined) return
  frame.expectsKey = frame.isObject
  if (typeof frame.member === 'number') frame.member++
}

function takeKey(walk: Walk): JsonRejection | undefined {
  const { start, end, text } = readString(walk)
  const frame = walk.frames.at(-1)
  if (frame === undefined) return undefined
  frame.expectsKey = false
  frame.hint = text
  const treated = walk.text(text, '')
  if (typeof treated !== 'string') {
    // The key itself is what must not be shown.
    frame.member = `[REDACTED:${treated.rule}]`
    return { ...treated, pointer: pointerOf(walk) }
  }
  frame.member = treated
  if (treated === text) {
    frame.keptKeys.push(text)
    return undefined
  }
  const edit = addEdit(walk, { start, end, replacement: treated })
  frame.redactedKeys.push({
    base: treated,
    rename: (name) => {
      edit.replacement = JSON.stringify(name)
    },
  })
  return undefined
}

function takeString(walk: Walk): JsonRejection | undefined {
  const { start, end, text } = readString(walk)
  return treat(walk, { start, end, text }, walk.value(text, hintOf(walk)))
}

/** A number is read as it is written and, if that differs, as it is meant. */
function takeNumber(walk: Walk): JsonRejection | undefined {
  const start = walk.index
  const end = runEnd(walk.source, start, isNumberUnit)
  const text = walk.source.slice(start, end)
  walk.index = end
  const hint = hintOf(walk)
  const treated = walk.text(text, hint)
  const plain = treated === text ? plainDecimal(text) : undefined
  if (plain === undefined) return treat(walk, { start, end, text }, treated)
  const treatedPlain = walk.text(plain, hint)
  return treat(walk, { start, end, text }, treatedPlain === plain ? text : treatedPlain)
}

interface Token {
  readonly start: number
  readonly end: number
  /** What it says, without quotes and escapes. */
  readonly text: string
}

function treat(walk: Walk, token: Token, treated: string | Rejection): JsonRejection | undefined {
  if (typeof treated !== 'string') return { ...treated, pointer: pointerOf(walk) }
  if (treated !== token.text) {
    addEdit(walk, { start: token.start, end: token.end, replacement: JSON.stringify(treated) })
  }
  return undefined
}

function readString(walk: Walk): Token {
  const { source, index: start } = walk
  let end = start
  do {
    end = source.indexOf('"', end + 1)
  } while (isEscaped(source, end))
  walk.index = end + 1
  const inner = source.slice(start + 1, end)
  const text = inner.includes('\\') ? String(JSON.parse(source.slice(start, end + 1))) : inner
  return { start, end: end + 1, text }
}

function isEscaped(source: string, quote: number): boolean {
  let first = quote
  while (source.charAt(first - 1) === '\\') first--
  return (quote - first) % 2 === 1
}

function hintOf({ frames, hint }: Walk): string {
  return frames.at(-1)?.hint ?? hint
}

/** RFC 6901. Members that were redacted appear as redacted. */
function pointerOf({ frames }: Walk): string {
  return frames.map(({ member }) => `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function addEdit({ edits }: Walk, edit: Edit): Edit {
  edits.push(edit)
  return edit
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return source
  const parts: string[] = []
  let from = 0
  for (const { start, end, replacement } of edits) {
    parts.push(source.slice(from, start), replacement)
    from = end
  }
  parts.push(source.slice(from))
  return parts.join('')
}
