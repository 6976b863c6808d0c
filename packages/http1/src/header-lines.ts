import { headerName } from './header-name.ts'
import { hasTabBehind, joined, withoutBlanks } from './header-value.ts'
import { memoize } from './memoize.ts'
import type { HeadLimits, MessageFaults } from './message-faults.ts'

/** Reads the header lines of one head after another, and notes those that frame its body or end its connection. */
export class HeaderLines {
  /** Names and values in turn, as they were sent; bytes are kept as latin1. */
  raw: string[] = []
  length: string | undefined = undefined
  coding: string | undefined = undefined
  connection: string | undefined = undefined
  keepAlive: string | undefined = undefined
  private readonly faults: MessageFaults
  private readonly limits: HeadLimits

  constructor(faults: MessageFaults, limits: HeadLimits) {
    this.faults = faults
    this.limits = limits
  }

  /** Prepares for the next head. The list of the last one is not used again: its receiver keeps it. */
  clear(): void {
    this.raw = []
    this.length = undefined
    this.coding = undefined
    this.connection = undefined
    this.keepAlive = undefined
  }

  /** Reads the part of a text from `start` to `end` as a header line. */
  read(text: string, start: number, end: number): void {
    if (this.raw.length >= this.limits.maxHeaders * 2) throw this.faults.tooLarge(false)
    const colon = text.indexOf(':', start)
    if (colon === -1 || colon >= end) throw this.faults.field()
    const { name, key } = headerName(text.slice(start, colon))
    // Refuses folded lines and a blank before the colon too.
    if (key === '') throw this.faults.field()
    const value = withoutBlanks(text, colon + 1, end)
    this.raw.push(name, value)
    this.note(key, value)
    // Some servers, Node among them, do not know a coding with a tab behind it.
    if (key === 'transfer-encoding' && hasTabBehind(text, end)) throw this.faults.coding()
  }

  /** Compares by length first: few headers are about framing. */
  private note(key: string, value: string): void {
    switch (key.length) {
      case 10:
        if (key === 'connection') this.connection = joined(this.connection, value)
        else if (key === 'keep-alive') this.keepAlive = joined(this.keepAlive, value)
        return
      case 14:
        if (key === 'content-length') this.length = joined(this.length, value)
        return
      case 16:
        // No standard has it, but Node's parser closes for it: a client that sends it reads no second answer.
        if (key === 'proxy-connection' && listOptions(value).has('close'))
          this.connection = joined(this.connection, 'close')
        return
      case 17:
        if (key === 'transfer-encoding') this.coding = joined(this.coding, value)
    }
  }
}

/** The options of a `Connection` header, in lower case. */
export const listOptions = memoize((value): ReadonlySet<string> => new Set(listItems(value.toLowerCase())))

/** The members of a list (RFC 9110, section 5.6.1). */
export function listItems(value: string): string[] {
  return value.split(',').map((item) => withoutBlanks(item))
}
