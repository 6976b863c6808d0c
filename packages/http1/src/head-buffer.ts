import type { Socket } from 'node:net'
import { hasControlByte, WORD_BYTES } from './control-bytes.ts'

const MEMORY_BYTES = 32_768
/** In UTF-8 a character takes up to three bytes. A longer head is rare, and is checked and written as text. */
const LONGEST_TEXT = Math.floor(MEMORY_BYTES / 3)
const LINE_END_BYTES = 2
const TAB = 0x09
const CR = 0x0d
const LF = 0x0a
const BLANK = 0x20
const DELETE = 0x7f
const NOTHING = new Uint8Array(0)

// Header values are bytes, kept as latin1.
const FORBIDDEN = /[^\t\r\n\x20-\x7e\x80-\xff]/
const LINE_ENDS = /[\r\n]/g

/**
 * Checks heads and writes them, each with a small body in one piece. Its memory is used again for the next head. Line ends
 * are counted in the bytes, four at a time: a regular expression for the values took three times as long.
 */
export class HeadBuffer {
  private memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)
  private words = new Int32Array(this.memory.buffer)
  /** The head in the memory. */
  private text = ''

  /**
   * Throws a `TypeError` for a head that has more line ends than lines, or a byte that may not be sent: a value with a line
   * end in it would be read as another header (RFC 9110, section 5.5).
   */
  check(text: string, lines: number): void {
    const found = this.put(text) ? this.lineEndBytes(text.length) : lineEndBytesOf(text)
    if (found !== lines * LINE_END_BYTES) throw new TypeError('a header holds a byte that may not be sent')
  }

  /** Writes a checked head with the bytes behind it; false when the socket asks to wait. */
  write(socket: Socket, text: string, body: Uint8Array = NOTHING): boolean {
    const length = text.length + body.length
    if (length > MEMORY_BYTES || (text !== this.text && !this.put(text)))
      return writeApart(socket, text, body)
    this.memory.set(body, text.length)
    const bytes = this.memory.subarray(0, length)
    if (!sendsAtOnce(socket)) return socket.write(Buffer.from(bytes))
    const wantsMore = socket.write(bytes)
    // The kernel did not take everything: the socket keeps the memory until it has.
    if (socket.writableLength > 0) this.renew()
    return wantsMore
  }

  /** Whether a text is in the memory now. Others have characters outside ASCII, or are too long. */
  private put(text: string): boolean {
    const isPut = text.length <= LONGEST_TEXT && this.memory.write(text) === text.length
    this.text = isPut ? text : ''
    return isPut
  }

  private renew(): void {
    this.memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)
    this.words = new Int32Array(this.memory.buffer)
    this.text = ''
  }

  /** The number of CR and LF; NaN where another control character is. */
  private lineEndBytes(length: number): number {
    const { memory, words } = this
    const wordCount = length >> 2
    let count = 0
    for (let index = 0; index < wordCount; index += 1) {
      if (!hasControlByte(words[index] as number)) continue
      count += lineEndBytesBetween(memory, index * WORD_BYTES, (index + 1) * WORD_BYTES)
    }
    return count + lineEndBytesBetween(memory, wordCount * WORD_BYTES, length)
  }
}

function lineEndBytesBetween(memory: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at += 1) {
    const byte = memory[at] as number
    if (byte === CR || byte === LF) count += 1
    else if ((byte < BLANK && byte !== TAB) || byte === DELETE) return Number.NaN
  }
  return count
}

function lineEndBytesOf(text: string): number {
  return FORBIDDEN.test(text) ? Number.NaN : (text.match(LINE_ENDS)?.length ?? 0)
}

/** TLS and a socket that connects, or has more to send, keep the bytes for later. */
function sendsAtOnce(socket: Socket): boolean {
  return socket.writableLength === 0 && !socket.connecting && !('encrypted' in socket)
}

function writeApart(socket: Socket, text: string, body: Uint8Array): boolean {
  socket.cork()
  socket.write(text, 'latin1')
  const wantsMore = socket.write(body)
  socket.uncork()
  return wantsMore
}
