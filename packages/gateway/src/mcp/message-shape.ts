import { setImmediate } from 'node:timers/promises'
import { MAX_JSON_DEPTH } from '@agentic-rest/profile'

/** The most values of a message: each member, each element, each array and object. */
const MAX_VALUES = 10_000
/** A message has 8 levels around the arguments of a call, as in `parseJson`. */
const MAX_DEPTH = MAX_JSON_DEPTH + 8
/** As in the protocol package. */
const MAX_BATCH = 100
/** The bytes that are read at once; other requests are served between two such parts. */
const PART_BYTES = 32_768

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * The limit that a message exceeds, if it does. Values are counted on the bytes, because a small text can be a large object:
 * 256 KiB of `[[],[],…` take a hundred times the memory. The grammar is not checked.
 */
export async function messageShapeFault(bytes: Buffer): Promise<string | undefined> {
  const scan = new ShapeScan()
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    if (start > 0) await setImmediate()
    const fault = scan.read(bytes.subarray(start, start + PART_BYTES))
    if (fault !== undefined) return fault
  }
  return undefined
}

class ShapeScan {
  private values = 0
  private depth = 0
  private batch = 0
  private isBatch = false
  private inText = false
  private isEscaped = false

  read(part: Buffer): string | undefined {
    for (let at = 0; at < part.length; at += 1) {
      if (this.inText) {
        at = this.endOfText(part, at)
        continue
      }
      const fault = this.take(part[at] ?? 0)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** The closing quote, or the end of the part. */
  private endOfText(part: Buffer, start: number): number {
    let at = start
    if (this.isEscaped) {
      this.isEscaped = false
      at += 1
    }
    for (; at < part.length; at += 1) {
      const byte = part[at]
      if (byte === BACKSLASH) {
        at += 1
        this.isEscaped = at === part.length
      } else if (byte === QUOTE) {
        this.inText = false
        return at
      }
    }
    return at
  }

  private take(byte: number): string | undefined {
    switch (byte) {
      case QUOTE:
        this.inText = true
        return undefined
      case OPENING_BRACKET:
      case OPENING_BRACE:
        this.isBatch ||= this.depth === 0 && byte === OPENING_BRACKET
        this.depth += 1
        this.values += 1
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        this.depth -= 1
        return undefined
      case COMMA:
        this.values += 1
        if (this.isBatch && this.depth === 1) this.batch += 1
        break
      default:
        return undefined
    }
    if (this.values > MAX_VALUES) return `The message has more than ${MAX_VALUES} values`
    if (this.depth > MAX_DEPTH) return `The message has more than ${MAX_DEPTH} levels`
    return this.batch >= MAX_BATCH ? `The batch has more than ${MAX_BATCH} messages` : undefined
  }
}
