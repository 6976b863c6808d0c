import { isIdentity } from '@agentic-rest/http1'
import { isJsonType } from '@agentic-rest/profile'
import type { Produced, Usage } from '../../exchange.ts'
import { tokensOf } from './asked-tokens.ts'
import { MemberReader } from './json-members.ts'
import { inputTokens, outputTokens, readUsage, reported } from './usage.ts'

/** Reads the tokens that an answer reports while its bytes pass. */
export interface UsageTap {
  chunk(bytes: Buffer): void
  /** The tokens reported so far; `undefined` if the answer has not reported them. Called once, after the last chunk. */
  end(): Usage | undefined
  /** The output that passed without a report; `undefined` if nothing is known of it. Called after `end`. */
  produced(): Produced | undefined
}

/** A tap for a media type; `undefined` for one that reports no usage, and for encoded bytes. */
export function usageTap(essence: string | undefined, encoding: string | undefined): UsageTap | undefined {
  if (essence === undefined || !isIdentity(encoding)) return undefined
  if (essence === 'text/event-stream') return new StreamTap()
  return isJsonType(essence) ? new BodyTap() : undefined
}

/** The `usage` of a JSON body. */
class BodyTap implements UsageTap {
  private readonly reader = new MemberReader(['usage', 'model'])

  chunk(bytes: Buffer): void {
    this.reader.chunk(bytes)
  }

  end(): Usage | undefined {
    const { reader } = this
    return reader.isComplete ? readUsage(reader.value('usage'), reader.value('model')) : undefined
  }

  produced(): undefined {
    return undefined
  }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const DATA = Buffer.from('data:')
/** Bytes of an event that has one token: the names, ids and log probabilities around it. */
const ONE_TOKEN_BYTES = 1024
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf])
const SEPARATOR = Buffer.from('\n')
const USAGE = Buffer.from('usage')
const NULL = Buffer.from('":null')

type Line = 'name' | 'data' | 'other'

/**
 * The `usage` of an event stream: of the last chat chunk that has one, of the event that ends a response, or of
 * `message_start` and the last `message_delta`. Only the right place of the JSON counts, never a text with the word.
 */
class StreamTap implements UsageTap {
  private readonly reader = new MemberReader([
    'type',
    'model',
    'usage',
    'response.model',
    'response.usage',
    'message.model',
    'message.usage',
  ])
  private usage: Usage | undefined = undefined
  /** Input and model of `message_start`. */
  private started: { readonly input: number; readonly model: unknown } | undefined = undefined
  private line: Line = 'name'
  /** Bytes of `data:` that the line has so far. */
  private matched = 0
  private isLineEmpty = true
  private isFirstLine = true
  private hasData = false
  private isEventOpen = false
  private afterCarriageReturn = false
  /** The tokens of the events so far, and the bytes of data in the current line. */
  private output = 0
  private lineBytes = 0

  chunk(bytes: Buffer): void {
    // Most chunks are whole events without a report: one native search is all they cost.
    if (!this.isEventOpen && endsEvent(bytes) && !mentionsUsage(bytes)) {
      this.afterCarriageReturn = false
      this.isFirstLine = false
      this.countLines(bytes)
      return
    }
    const ends = new LineEnds(bytes)
    let at = 0
    while (at < bytes.length) {
      // CR LF is one line end, also when it is cut in two.
      if (this.afterCarriageReturn && bytes[at] === LINE_FEED) at += 1
      this.afterCarriageReturn = false
      const end = ends.after(at)
      if (end > at) this.readLine(bytes, at, end)
      if (end >= bytes.length) return
      this.endLine()
      this.afterCarriageReturn = bytes[end] === CARRIAGE_RETURN
      at = end + 1
    }
  }

  end(): Usage | undefined {
    // Clients accept a last event without its empty line.
    if (this.line === 'data') this.countData(this.lineBytes)
    this.endEvent()
    return this.usage
  }

  produced(): Produced | undefined {
    return this.output === 0 ? undefined : { input: this.started?.input, output: this.output }
  }

  /** Counts the lines of data in a chunk of whole events. */
  private countLines(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (bytes[at] === LINE_FEED) continue
      const end = bytes.indexOf(LINE_FEED, at)
      if (isData(bytes, at)) this.countData(end - at - DATA.length)
      at = end
    }
  }

  /** An event of a model is one token. A service that sends many tokens at once has larger events. */
  private countData(bytes: number): void {
    this.output += 1 + tokensOf(Math.max(0, bytes - ONE_TOKEN_BYTES))
  }

  /** Reads a part of a line. */
  private readLine(bytes: Buffer, start: number, end: number): void {
    this.isEventOpen = true
    this.isLineEmpty = false
    let at = start
    while (this.line === 'name' && at < end) {
      const byte = bytes[at] as number
      at += 1
      if (byte === DATA[this.matched]) this.matched += 1
      else if (!(this.isFirstLine && this.matched === 0 && BYTE_ORDER_MARK.has(byte))) this.line = 'other'
      if (this.matched === DATA.length) this.startData()
    }
    if (this.line !== 'data' || at >= end) return
    this.lineBytes += end - at
    this.reader.chunk(bytes.subarray(at, end))
  }

  private startData(): void {
    this.line = 'data'
    if (this.hasData) this.reader.chunk(SEPARATOR)
    this.hasData = true
  }

  private endLine(): void {
    if (this.line === 'data') this.countData(this.lineBytes)
    if (this.isLineEmpty) this.endEvent()
    this.lineBytes = 0
    this.line = 'name'
    this.matched = 0
    this.isLineEmpty = true
    this.isFirstLine = false
  }

  private endEvent(): void {
    if (this.hasData) {
      if (this.reader.isComplete) this.readEvent()
      this.reader.reset()
    }
    this.hasData = false
    this.isEventOpen = false
  }

  private readEvent(): void {
    const { reader } = this
    switch (reader.text('type')?.trim()) {
      case undefined:
        this.reportAt('')
        return
      case '"response.completed"':
      case '"response.incomplete"':
      case '"response.failed"':
        this.reportAt('response.')
        return
      case '"message_start"': {
        const input = inputTokens(reader.value('message.usage'))
        if (input !== undefined) this.started = { input, model: reader.value('message.model') }
        return
      }
      case '"message_delta"': {
        // The counts are cumulative. A server tool may add input after the start.
        const usage = reader.value('usage')
        const input = Math.max(this.started?.input ?? Number.NaN, inputTokens(usage) ?? 0)
        this.report(
          reported(Number.isNaN(input) ? undefined : input, outputTokens(usage), this.started?.model),
        )
      }
    }
  }

  private reportAt(prefix: '' | 'response.'): void {
    const usage = this.reader.value(`${prefix}usage`)
    if (usage !== undefined) this.report(readUsage(usage, this.reader.value(`${prefix}model`)))
  }

  /** Keeps the last usage: an event without one takes nothing back. */
  private report(usage: Usage | undefined): void {
    this.usage = usage ?? this.usage
  }
}

/** Whether a line of data begins at a position. */
function isData(bytes: Buffer, at: number): boolean {
  for (let index = 0; index < DATA.length; index += 1) if (bytes[at + index] !== DATA[index]) return false
  return true
}

/** The ends of the lines of a chunk, by native search. */
class LineEnds {
  private readonly bytes: Buffer
  private feed = -1
  private carriage = -1

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The first line end at a position or after it; the length of the chunk if there is none. */
  after(at: number): number {
    if (this.feed < at) this.feed = this.find(LINE_FEED, at)
    if (this.carriage < at) this.carriage = this.find(CARRIAGE_RETURN, at)
    return Math.min(this.feed, this.carriage)
  }

  private find(byte: number, at: number): number {
    const found = this.bytes.indexOf(byte, at)
    return found === -1 ? this.bytes.length : found
  }
}

/** Whether the last line of a chunk is an empty one. False for a stream with CR alone, which is read in full. */
function endsEvent(bytes: Buffer): boolean {
  const last = bytes.length - 1
  if (bytes[last] !== LINE_FEED) return false
  if (bytes[last - 1] === LINE_FEED) return true
  return bytes[last - 1] === CARRIAGE_RETURN && bytes[last - 2] === LINE_FEED
}

/** Whether the word is there with anything but `null`, which all chunks but the last have with `include_usage`. */
function mentionsUsage(bytes: Buffer): boolean {
  let at = bytes.indexOf(USAGE)
  while (at !== -1) {
    at += USAGE.length
    if (bytes.compare(NULL, 0, NULL.length, at, Math.min(at + NULL.length, bytes.length)) !== 0) return true
    at = bytes.indexOf(USAGE, at)
  }
  return false
}
