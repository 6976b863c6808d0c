import { setImmediate } from 'node:timers/promises'
import { parseJson } from '@agentic-rest/profile'

/** The place of a value in its document, in bytes. */
export interface Span {
  readonly start: number
  readonly end: number
}

interface Member extends Span {
  /** `undefined` for a value that is too long to keep. */
  readonly text: string | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
const LAST_BLANK = 0x20

const IS_TOKEN = new Uint8Array(256)
for (const byte of [QUOTE, COLON, COMMA, OPENING_BRACE, OPENING_BRACKET, CLOSING_BRACE, CLOSING_BRACKET])
  IS_TOKEN[byte] = 1

/** A wanted name in which every letter is escaped. */
const LONGEST_NAME = 160
const LONGEST_VALUE = 16_384
const NOWHERE = -1

/**
 * Finds members of a JSON object while its text passes: `usage`, or `response.usage` one level deeper. It keeps the
 * values of these members alone, whatever the size of the document; `parseJson` needs all of it at once. Of equal names the last one counts, as in
 * `parseJson`; `isAmbiguous` tells of them. It does not check the grammar: a value is a hint to be parsed, not a validated document.
 */
export class MemberReader {
  private readonly wanted: ReadonlySet<string>
  private readonly parents: ReadonlySet<string>
  private readonly firstLetters: ReadonlySet<number>
  private readonly found = new Map<string, Member>()
  private readonly ambiguous = new Set<string>()
  /** Bytes of the document before the current chunk. */
  private offset = 0
  private depth = 0
  private inText = false
  private isEscaped = false
  private isBroken = false
  private isClosed = false
  /** The start of the current name within the chunk, and the part of it in earlier chunks. */
  private nameStart = NOWHERE
  private name = ''
  /** The member of the outer object that is being read. */
  private outer = ''
  /** The wanted member that is being read, the depth and start of its value, and the part of it in earlier chunks. */
  private open: string | undefined = undefined
  private openDepth = 0
  private openStart = 0
  private kept: Buffer[] = []
  /** The bytes of texts that are values, the start of the current text, and the length of the last one while it may be a name. */
  private texts = 0
  private textStart = 0
  private lastText = 0
  /** The plain values in lists, and the last token with its place. */
  private listed = 0
  private lastToken = 0
  private lastTokenAt = 0

  constructor(wanted: readonly string[]) {
    this.wanted = new Set(wanted)
    this.parents = new Set(
      wanted.filter((path) => path.includes('.')).map((path) => path.slice(0, path.indexOf('.'))),
    )
    const letters = wanted.flatMap((path) => path.split('.').map((name) => name.charAt(0)))
    const starts = letters.flatMap((letter) => [letter, letter.toUpperCase()])
    this.firstLetters = new Set([BACKSLASH, ...starts.map((letter) => letter.charCodeAt(0))])
  }

  /** The object is complete, and nothing but blanks follows it. */
  get isComplete(): boolean {
    return this.isClosed && !this.isBroken
  }

  /** The text of a member's value; `undefined` if there is none or if it is longer than 16 KiB. */
  text(path: string): string | undefined {
    return this.found.get(path)?.text
  }

  /** The parsed value of a member; `undefined` for one that is missing, too long or no JSON. */
  value(path: string): unknown {
    const text = this.text(path)
    return text === undefined ? undefined : parseJson(text).value
  }

  /** The place of a member's value, with the blanks around it. */
  span(path: string): Span | undefined {
    return this.found.get(path)
  }

  /**
   * Whether parsers differ about a member: its name comes twice, or again in other letter case. Some take the first,
   * and some take names whatever their case.
   */
  isAmbiguous(path: string): boolean {
    return this.ambiguous.has(path)
  }

  /** The bytes of all texts of the document, without names of members. An escape is at least as long as its character. */
  get textBytes(): number {
    return this.texts
  }

  /** How many numbers, booleans and nulls lists have: a prompt may be a list of token ids. */
  get listedValues(): number {
    return this.listed
  }

  /** Reads the next part of the document. */
  chunk(bytes: Buffer): void {
    if (this.nameStart !== NOWHERE) this.nameStart = 0
    let at = 0
    while (at < bytes.length && !this.isClosed)
      at = this.inText ? this.readText(bytes, at) : this.readTokens(bytes, at)
    for (; at < bytes.length; at += 1) if ((bytes[at] as number) > LAST_BLANK) this.isBroken = true
    this.keepParts(bytes)
    this.offset += bytes.length
  }

  /** Starts with another document. */
  reset(): void {
    this.found.clear()
    this.ambiguous.clear()
    this.offset = 0
    this.depth = 0
    this.inText = false
    this.isEscaped = false
    this.isBroken = false
    this.isClosed = false
    this.nameStart = NOWHERE
    this.name = ''
    this.outer = ''
    this.open = undefined
    this.kept = []
    this.texts = 0
    this.lastText = 0
    this.listed = 0
    this.lastToken = 0
  }

  /** Reads to the start of a text, the end of the object or that of the chunk; returns the next position. */
  private readTokens(bytes: Buffer, start: number): number {
    const { length } = bytes
    for (let at = start; at < length; at += 1) {
      const byte = bytes[at] as number
      // Most bytes are digits, blanks and literals.
      if (IS_TOKEN[byte] !== 1) continue
      this.readToken(byte, bytes, at)
      if (this.inText || this.isClosed) return at + 1
    }
    return length
  }

  private readToken(byte: number, bytes: Buffer, at: number): void {
    this.countValue(byte, this.offset + at)
    switch (byte) {
      case QUOTE:
        this.inText = true
        this.textStart = this.offset + at + 1
        this.name = ''
        this.nameStart = this.takesName() && this.mayStart(bytes[at + 1]) ? at + 1 : NOWHERE
        return
      case COLON:
        this.startValue(at)
        return
      case COMMA:
        this.endValue(bytes, at)
        return
      case OPENING_BRACKET:
        // The document is an array.
        if (this.depth === 0) this.isBroken = true
        this.depth += 1
        return
      case OPENING_BRACE:
        this.depth += 1
        return
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        this.endValue(bytes, at)
        this.depth -= 1
        this.isClosed = this.depth <= 0
    }
  }

  /** Counts the value that a token ends. Only in a list does a plain value follow a bracket or a comma. */
  private countValue(token: number, place: number): void {
    const { lastToken } = this
    // A text before a colon is a name; only a long one could be a text that somebody hides in it.
    this.texts += token === COLON ? Math.max(0, this.lastText - LONGEST_NAME) : this.lastText
    this.lastText = 0
    const endsListed = token === COMMA || (token === CLOSING_BRACKET && place > this.lastTokenAt + 1)
    if (endsListed && (lastToken === COMMA || lastToken === OPENING_BRACKET)) this.listed += 1
    this.lastToken = token
    this.lastTokenAt = place
  }

  /** Reads to the end of a text or of the chunk; returns the next position. */
  private readText(bytes: Buffer, start: number): number {
    const { length } = bytes
    let at = start
    if (this.isEscaped) {
      this.isEscaped = false
      at += 1
    }
    for (; at < length; at += 1) {
      const byte = bytes[at]
      if (byte === QUOTE) {
        this.inText = false
        this.lastText = this.offset + at - this.textStart
        this.endName(bytes, at)
        return at + 1
      }
      if (byte === BACKSLASH) at += 1
    }
    this.isEscaped = at > length
    return at
  }

  private takesName(): boolean {
    if (this.open !== undefined) return false
    return this.depth === 1 || (this.depth === 2 && this.parents.has(this.outer))
  }

  /** Most names are not wanted, and their first letter shows it: they are never made into a string. */
  private mayStart(letter: number | undefined): boolean {
    return letter === undefined || this.firstLetters.has(letter)
  }

  private endName(bytes: Buffer, end: number): void {
    if (this.nameStart === NOWHERE) return
    this.name = unescaped(this.joinName(bytes, end))
    this.nameStart = NOWHERE
  }

  /** Cut at a length that no wanted name has. */
  private joinName(bytes: Buffer, end: number): string {
    const { nameStart: start } = this
    return this.name + bytes.toString('latin1', start, Math.min(end, start + LONGEST_NAME - this.name.length))
  }

  private startValue(at: number): void {
    if (!this.takesName()) return
    const { name, depth } = this
    if (depth === 1) this.outer = name
    const path = depth === 1 ? name : `${this.outer}.${name}`
    this.name = ''
    if (!this.wanted.has(path)) {
      const lower = path.toLowerCase()
      if (this.wanted.has(lower)) this.ambiguous.add(lower)
      return
    }
    if (this.found.has(path)) this.ambiguous.add(path)
    this.open = path
    this.openDepth = depth
    this.openStart = this.offset + at + 1
  }

  private endValue(bytes: Buffer, at: number): void {
    const { open } = this
    if (open === undefined || this.depth !== this.openDepth) return
    const [start, end] = [this.openStart, this.offset + at]
    const text = end - start > LONGEST_VALUE ? undefined : this.joinValue(bytes, at)
    this.found.set(open, { start, end, text })
    this.open = undefined
    this.kept = []
  }

  private joinValue(bytes: Buffer, end: number): string {
    const last = bytes.subarray(Math.max(0, this.openStart - this.offset), end)
    return (this.kept.length === 0 ? last : Buffer.concat([...this.kept, last])).toString()
  }

  /** The name and the value that continue in the next chunk. The value is copied: a part of it would keep all of the chunk. */
  private keepParts(bytes: Buffer): void {
    if (this.nameStart !== NOWHERE) this.name = this.joinName(bytes, bytes.length)
    if (this.open === undefined) return
    const from = Math.max(0, this.openStart - this.offset)
    if (this.offset + bytes.length - this.openStart <= LONGEST_VALUE)
      this.kept.push(Buffer.from(bytes.subarray(from)))
  }
}

/** A name as a parser reads it: `mod\u0065l` is `model`. */
function unescaped(name: string): string {
  if (!name.includes('\\')) return name
  const { value } = parseJson(`"${name}"`)
  return typeof value === 'string' ? value : ''
}

/** Bytes of a document that are read before other requests have their turn. */
const TURN_BYTES = 65_536

/** The members of a whole document; `undefined` if it is no complete object. A large one takes several turns of the loop. */
export async function readMembers(
  bytes: Buffer,
  wanted: readonly string[],
): Promise<MemberReader | undefined> {
  const reader = new MemberReader(wanted)
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) await setImmediate()
    reader.chunk(bytes.subarray(at, at + TURN_BYTES))
  }
  return reader.isComplete ? reader : undefined
}
