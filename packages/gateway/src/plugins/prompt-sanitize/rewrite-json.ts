import { isJson, MAX_JSON_DEPTH, parseOwnJson } from '@agentic-rest/profile'
import { anyOf, runEnd } from './characters.ts'
import { CannotSanitizeError } from './compile-rules.ts'
import type { Rejection, TextRedactor } from './redact-text.ts'

/** The redactors for the parts of a document. */
export interface JsonRedactors {
  /** Redacts a string value, which may contain a document. */
  readonly value: TextRedactor
  /** Redacts keys and numbers. */
  readonly text: TextRedactor
}

/** A rejection and its place in the document, as a JSON pointer. */
export interface JsonRejection extends Rejection {
  readonly pointer: string
}

/** The rewritten document (the same string without a match), or why it is refused. */
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

/** A redacted key: `base` is its redacted text, `rename` sets the final name. */
interface RedactedKey {
  readonly base: string
  rename(name: string): void
}

/** An open object or array at the current place. */
interface Frame {
  readonly isObject: boolean
  expectsKey: boolean
  /** The current member for the pointer: an index, or the redacted key. */
  member: string | number
  /** The nearest key before redaction: it may announce the value. */
  hint: string
  readonly keptKeys: string[]
  readonly redactedKeys: RedactedKey[]
}

interface Walk extends JsonRedactors {
  readonly source: string
  /** The key of the whole document. */
  readonly hint: string
  readonly frames: Frame[]
  readonly edits: Edit[]
  index: number
}

const isNumberUnit = anyOf('0123456789+-.eE')
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/
const LONGEST_DECIMAL = 40

/**
 * Redacts the strings, numbers and keys of a document and keeps every other byte: white space, the form of numbers, the
 * order and repetition of keys; `parseJson` gives none of them back. `isJson` only checks the grammar. A parsed value would lose digits of large numbers and
 * all but the last of equal keys, which an upstream may read differently.
 */
export function rewriteJson(source: string, redactors: JsonRedactors, hint = ''): JsonResult {
  if (!isJson(source)) return { type: 'malformed' }
  const walk: Walk = { ...redactors, source, hint, frames: [], edits: [], index: 0 }
  while (walk.index < source.length) {
    const stop = step(walk)
    if (stop !== undefined) return stop
  }
  return applyEdits(source, walk.edits)
}

/** Reads one token. The grammar is already checked, so literals and white space are skipped. */
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
  if (walk.frames.length === MAX_JSON_DEPTH) return { type: 'too_deep' }
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
  const redacted = walk.text(text, '')
  if (typeof redacted !== 'string') {
    // The rejected key itself must not be shown.
    frame.member = `[REDACTED:${redacted.rule}]`
    return { ...redacted, pointer: pointerOf(walk) }
  }
  frame.member = redacted
  if (redacted === text) {
    frame.keptKeys.push(text)
    return undefined
  }
  const edit = addEdit(walk, { start, end, replacement: redacted })
  frame.redactedKeys.push({
    base: redacted,
    rename: (name) => {
      edit.replacement = JSON.stringify(name)
    },
  })
  return undefined
}

function takeString(walk: Walk): JsonRejection | undefined {
  const { start, end, text } = readString(walk)
  return replaceToken(walk, { start, end, text }, walk.value(text, hintOf(walk)))
}

/** A number is searched as written and, if that differs, as a plain decimal. */
function takeNumber(walk: Walk): JsonRejection | undefined {
  const start = walk.index
  const end = runEnd(walk.source, start, isNumberUnit)
  const text = walk.source.slice(start, end)
  walk.index = end
  const hint = hintOf(walk)
  const redacted = walk.text(text, hint)
  const plain = redacted === text ? plainDecimal(text) : undefined
  if (plain === undefined) return replaceToken(walk, { start, end, text }, redacted)
  const redactedPlain = walk.text(plain, hint)
  return replaceToken(walk, { start, end, text }, redactedPlain === plain ? text : redactedPlain)
}

interface Token {
  readonly start: number
  readonly end: number
  /** Without quotes and escapes. */
  readonly text: string
}

function replaceToken(walk: Walk, token: Token, redacted: string | Rejection): JsonRejection | undefined {
  if (typeof redacted !== 'string') return { ...redacted, pointer: pointerOf(walk) }
  if (redacted !== token.text) {
    addEdit(walk, { start: token.start, end: token.end, replacement: JSON.stringify(redacted) })
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
  const text = inner.includes('\\') ? String(parseOwnJson(source.slice(start, end + 1))) : inner
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

/** RFC 6901. Redacted members appear redacted. */
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

/**
 * Numbers equal redacted keys of one object, so that no value is lost: `[REDACTED:email]`, `[REDACTED:email]#2`. `kept`
 * are the other keys; `isStable` tells whether no rule matches a name.
 */
function makeKeysUnique(
  redacted: readonly RedactedKey[],
  kept: Iterable<string>,
  isStable: (name: string) => boolean,
): void {
  const taken = new Set(kept)
  const counts = new Map<string, number>()
  for (const { base, rename } of redacted) {
    let count = counts.get(base) ?? 1
    while (taken.has(numbered(base, count))) count++
    const name = numbered(base, count)
    if (count > 1 && !isStable(name))
      throw new CannotSanitizeError('a redacted key has no name that no rule matches')
    rename(name)
    taken.add(name)
    counts.set(base, count + 1)
  }
}

function numbered(base: string, count: number): string {
  return count === 1 ? base : `${base}#${count}`
}

/**
 * A JSON number without exponent and trailing zeros: `4.111111111111111e15` is a card number too. `undefined` when the
 * number already has this form or is too long to be a value.
 */
export function plainDecimal(source: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0 || point > LONGEST_DECIMAL || digits.length > LONGEST_DECIMAL) return undefined
  const integer = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=[0-9])/, '')
  const rest = digits.slice(point).replace(/0+$/, '')
  const plain = `${sign}${integer}${rest === '' ? '' : `.${rest}`}`
  return plain === source ? undefined : plain
}
