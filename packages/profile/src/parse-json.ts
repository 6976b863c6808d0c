/** The most levels of arrays and objects in JSON from outside. Code that walks a value may recurse (F14). */
export const MAX_JSON_DEPTH = 64

/** The most levels of a message around a document: an RPC call around its arguments, a status around its result. */
export const MAX_MESSAGE_DEPTH = MAX_JSON_DEPTH + 8

/** Why a text cannot be read as JSON, and where. It quotes nothing of the text. */
export interface JsonFault {
  readonly reason: 'syntax' | 'repeated' | 'too_deep' | 'too_many' | 'not_finite'
  /** A text for people, with the place. */
  readonly message: string
  /** Names and indices from the outermost value to the fault. */
  readonly path: readonly string[]
  readonly line: number
  /** In UTF-16 code units; both count from 1. */
  readonly column: number
}

/** A parsed value, or a fault. */
export type JsonReading =
  | { readonly value: unknown; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: JsonFault }

/** How to parse. */
export interface JsonOptions {
  /** The text is a message around a document of somebody else; it may have `MAX_MESSAGE_DEPTH` levels. */
  readonly isMessage?: boolean
  /** The most values: each member, each element, each array and object. A small text can be a large object. */
  readonly maxValues?: number
  /** Refuses an object that has a name twice: others may take the first of its values. */
  readonly uniqueNames?: boolean
  /** Replaces texts and numbers. `source` is the spelling: two large numbers may have one value. */
  readonly leaf?: (value: string | number, source: string) => unknown
}

/**
 * Parses JSON from outside. The value is the one of `JSON.parse`, except that names with escapes are read correctly in V8,
 * that the depth is at most `MAX_JSON_DEPTH`, and that every number is finite (docs/decisions/0045-reading-json.md).
 */
export function parseJson(text: string, options: JsonOptions = {}): JsonReading {
  const { leaf, uniqueNames = false, isMessage = false, maxValues = Number.POSITIVE_INFINITY } = options
  const limits = { maxDepth: isMessage ? MAX_MESSAGE_DEPTH : MAX_JSON_DEPTH, maxValues }
  const isPlain = leaf === undefined && !uniqueNames && mayUseEngine(text, limits)
  const parsed = isPlain ? parseWithEngine(text) : undefined
  return parsed ?? new Reader(text, { ...limits, leaf, uniqueNames }).read()
}

/** Parses JSON that this software wrote, such as a stored value, of any depth. Throws a `SyntaxError` for other text. */
export function parseOwnJson(text: string): unknown {
  const isPlain = !text.includes('\\') || mayUseEngine(text, NO_LIMITS)
  const parsed: JsonReading | undefined = isPlain ? parseWithEngine(text) : undefined
  const { value, fault } = parsed ?? new Reader(text, NO_LIMITS).read()
  if (fault) throw new SyntaxError(`not JSON: ${fault.message}`)
  return value
}

/** Whether a text is JSON, of any depth and with any number. */
export function isJson(text: string): boolean {
  return parseWithEngine(text) !== undefined
}

function parseWithEngine(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const LETTER_E = 0x65
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
/** Fewer digits without an exponent are a finite number. */
const MANY_DIGITS = 300

const UNSAFE = -1

interface Limits {
  readonly maxDepth: number
  readonly maxValues: number
}

const NO_LIMITS: Limits = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

/**
 * Whether `JSON.parse` reads a text correctly if it is JSON: no name has an escape, no value is too deep, there are not too
 * many, and no number can be infinite. One pass without memory; in doubt the answer is no.
 */
function mayUseEngine(text: string, { maxDepth, maxValues }: Limits): boolean {
  // This place moves on in the loop. An answer of `text.includes('\\')` that only the loop reads would be asked for again with
  // every text in it: V8 moves such a search to where its result is used, and a text of 1 MiB then takes seconds.
  let backslash = indexOrEnd(text, '\\', 0)
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at, backslash)
    else if (isDigit(code)) at = endOfDigits(text, at)
    else {
      const levels = levelsOf(code)
      depth += levels
      if (levels > 0 || code === COMMA) values += 1
    }
    if (at === UNSAFE || depth > maxDepth || values > maxValues) return false
    if (backslash < at) backslash = indexOrEnd(text, '\\', at)
  }
  return true
}

/** How many levels a character opens. */
function levelsOf(code: number): number {
  if (isOpening(code)) return 1
  return code === CLOSING_BRACE || code === CLOSING_BRACKET ? -1 : 0
}

function isOpening(code: number): boolean {
  return code === OPENING_BRACE || code === OPENING_BRACKET
}

function indexOrEnd(text: string, part: string, start: number): number {
  const index = text.indexOf(part, start)
  return index === -1 ? text.length : index
}

/** The closing quote of a text, or the end; `UNSAFE` for a name with an escape. `backslash` is the next one. */
function endOfText(text: string, start: number, backslash: number): number {
  const first = indexOrEnd(text, '"', start + 1)
  if (backslash >= first) return first
  const end = closingQuote(text, first)
  return text.charCodeAt(afterBlanks(text, end + 1)) === COLON ? UNSAFE : end
}

/** The first quote from a place on that is not escaped, or the end. */
function closingQuote(text: string, start: number): number {
  let end = indexOrEnd(text, '"', start)
  while (end < text.length && isEscaped(text, end)) end = indexOrEnd(text, '"', end + 1)
  return end
}

/** Whether an odd number of backslashes is before a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}

/** The last of some digits; `UNSAFE` if they are part of a number that may be infinite. */
function endOfDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at + 1))) at += 1
  return at - start > MANY_DIGITS || hasExponent(text, at + 1) ? UNSAFE : at
}

function afterBlanks(text: string, start: number): number {
  let at = start
  while (isBlank(text.charCodeAt(at))) at += 1
  return at
}

function isBlank(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** An exponent that makes a number larger. The bit of 0x20 is the letter case. */
function hasExponent(text: string, at: number): boolean {
  return (text.charCodeAt(at) | 0x20) === LETTER_E && text.charCodeAt(at + 1) !== MINUS
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/
const LONGEST_ESCAPE = 6
const words = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const

type Container = unknown[] | Record<string, unknown>

/** An open array or object, and the name of the member that is being read. */
interface Frame {
  readonly container: Container
  name: string
}

interface ReaderOptions extends Limits {
  readonly leaf?: JsonOptions['leaf'] | undefined
  readonly uniqueNames?: boolean
}

/** Ends a reading early; it never leaves this file. */
class Refused extends Error {}

/** Reads a text without the engine's parser and without recursion: for names with escapes, and to find the place of a fault. */
class Reader {
  private readonly text: string
  private readonly options: ReaderOptions
  private readonly frames: Frame[] = []
  private at = 0
  private values = 0

  constructor(text: string, options: ReaderOptions) {
    this.text = text
    this.options = options
  }

  read(): JsonReading {
    try {
      return { value: this.readValue() }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { fault: this.faultOf(error.message as JsonFault['reason']) }
    }
  }

  private readValue(): unknown {
    for (;;) {
      const code = this.next()
      let value: unknown
      if (isOpening(code)) {
        if (!this.open(code === OPENING_BRACE)) continue
        value = this.frames.pop()?.container
      } else value = this.readLeaf(code)
      while (this.frames.length > 0 && this.endMember(value)) value = this.frames.pop()?.container
      if (this.frames.length > 0) continue
      this.next()
      if (this.at < this.text.length) this.refuse('syntax')
      return value
    }
  }

  /** The next character that is no blank. */
  private next(): number {
    this.at = afterBlanks(this.text, this.at)
    return this.text.charCodeAt(this.at)
  }

  /** Opens an array or an object up to its first value; true when it is empty and closed. */
  private open(isObject: boolean): boolean {
    if (this.frames.length === this.options.maxDepth) this.refuse('too_deep')
    this.countValue()
    this.at += 1
    this.frames.push({ container: isObject ? {} : [], name: '' })
    if (this.next() === (isObject ? CLOSING_BRACE : CLOSING_BRACKET)) {
      this.at += 1
      return true
    }
    if (isObject) this.readName()
    return false
  }

  /** Puts a value into the innermost container; true when that ends there. Otherwise another value follows. */
  private endMember(value: unknown): boolean {
    const frame = this.frames.at(-1) as Frame
    const isList = Array.isArray(frame.container)
    put(frame, value)
    const code = this.next()
    if (code === (isList ? CLOSING_BRACKET : CLOSING_BRACE)) {
      this.at += 1
      return true
    }
    if (code !== COMMA) this.refuse('syntax')
    this.countValue()
    this.at += 1
    if (!isList) this.readName()
    return false
  }

  /** The first value of a list or map is counted with it. */
  private countValue(): void {
    this.values += 1
    if (this.values > this.options.maxValues) this.refuse('too_many')
  }

  private readName(): void {
    if (this.next() !== QUOTE) this.refuse('syntax')
    const name = this.readText()
    if (this.next() !== COLON) this.refuse('syntax')
    const frame = this.frames.at(-1) as Frame
    if (this.options.uniqueNames && Object.hasOwn(frame.container, name)) this.refuse('repeated')
    this.at += 1
    frame.name = name
  }

  private readLeaf(code: number): unknown {
    const start = this.at
    if (code === QUOTE) return this.replace(this.readText(), start)
    if (code === MINUS || isDigit(code)) return this.readNumber(start)
    const word = words.find(([spelling]) => this.text.startsWith(spelling, start))
    if (word === undefined) return this.refuse('syntax')
    this.at += word[0].length
    return word[1]
  }

  private readNumber(start: number): unknown {
    NUMBER.lastIndex = start
    if (!NUMBER.test(this.text)) this.refuse('syntax')
    const end = NUMBER.lastIndex
    const value = Number(this.text.slice(start, end))
    if (!Number.isFinite(value)) this.refuse('not_finite')
    this.at = end
    return this.replace(value, start)
  }

  private replace(value: string | number, start: number): unknown {
    const { leaf } = this.options
    return leaf === undefined ? value : leaf(value, this.text.slice(start, this.at))
  }

  /** Reads a text from its opening quote to the character after its closing quote. */
  private readText(): string {
    const { text } = this
    const start = this.at
    for (this.at += 1; ; this.at += 1) {
      const code = text.charCodeAt(this.at)
      if (code === QUOTE) break
      if (code === BACKSLASH) return this.readEscaped(start)
      if (!(code >= SPACE)) this.refuse('syntax')
    }
    this.at += 1
    return text.slice(start + 1, this.at - 1)
  }

  /** Reads a text from its first escape on. The engine reads texts correctly as long as they are no names. */
  private readEscaped(start: number): string {
    const { text } = this
    const end = closingQuote(text, this.at)
    const parsed = parseWithEngine(text.slice(start, end + 1))
    this.at = parsed === undefined ? faultInText(text, this.at) : end + 1
    return parsed === undefined ? this.refuse('syntax') : (parsed.value as string)
  }

  private refuse(reason: JsonFault['reason']): never {
    throw new Refused(reason)
  }

  private faultOf(reason: JsonFault['reason']): JsonFault {
    const { line, column } = placeOf(this.text, this.at)
    const isEnd = this.at >= this.text.length
    const what = isEnd && reason === 'syntax' ? 'it ends too early' : descriptions[reason]
    const path = this.frames.map(({ container, name }) =>
      Array.isArray(container) ? String(container.length) : name,
    )
    return { reason, message: `${what} (line ${line}, column ${column})`, path, line, column }
  }
}

/** The first place in a text, from one of its escapes on, that is no JSON. */
function faultInText(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) {
      const [escaped] = ESCAPE.exec(text.slice(at, at + LONGEST_ESCAPE)) ?? []
      if (escaped === undefined) return at
      at += escaped.length - 1
    } else if (!(code >= SPACE)) return at
  }
}

/** Counts without making the lines: a text may have a million of them. */
function placeOf(text: string, end: number): Pick<JsonFault, 'line' | 'column'> {
  let line = 1
  let start = 0
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const isBreak = code === LINE_FEED || (code === RETURN && text.charCodeAt(at + 1) !== LINE_FEED)
    if (!isBreak) continue
    line += 1
    start = at + 1
  }
  return { line, column: end - start + 1 }
}

const descriptions = {
  syntax: 'there is an unexpected character',
  repeated: 'a name comes twice in an object',
  too_deep: 'it is nested too deep',
  too_many: 'it has too many values',
  not_finite: 'a number is too large',
} satisfies Record<JsonFault['reason'], string>

/** Of a repeated name the last value counts, at the place of the first. */
function put({ container, name }: Frame, value: unknown): void {
  if (Array.isArray(container)) container.push(value)
  // An assignment to `__proto__` would change the prototype, and one to an inherited name can be refused.
  else if (name in container)
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
  else container[name] = value
}
