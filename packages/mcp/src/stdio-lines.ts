import { parseOwnJson } from '@agentic-rest/profile'
import type { RpcId } from './protocol/json-rpc.ts'

/** A line that is too long to be read. Only its id is known, if it is at its beginning or its end. */
export interface LongLine {
  readonly id: RpcId | null
  /** The most bytes of a line. */
  readonly limit: number
}

/** The most bytes of a line unless told otherwise: more than gateways usually take. */
export const MAX_LINE_BYTES = 16_777_216

const NEWLINE = 0x0a
const EDGE_BYTES = 512

/** Reads the lines of a stream. The rest of a line that is too long is dropped, so that the next line is read as one. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  limit = MAX_LINE_BYTES,
): AsyncGenerator<string | LongLine, void> {
  const line = new LineBuffer(limit)
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end))
      yield line.take()
      start = end + 1
    }
    line.add(chunk.subarray(start))
  }
  if (!line.isEmpty) yield line.take()
}

/** The bytes of one line: all of them, or the two ends of a line that is too long. */
class LineBuffer {
  readonly #limit: number
  #parts: Uint8Array[] = []
  #length = 0
  #head: Uint8Array | undefined
  #tail: Uint8Array = new Uint8Array()

  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#length === 0 && this.#head === undefined
  }

  add(bytes: Uint8Array): void {
    if (this.#head !== undefined) {
      this.#tail = lastOf([this.#tail, bytes])
      return
    }
    this.#parts.push(bytes)
    this.#length += bytes.length
    if (this.#length <= this.#limit) return
    this.#head = Buffer.from(Buffer.concat(this.#parts).subarray(0, EDGE_BYTES))
    this.#tail = lastOf(this.#parts)
    this.#parts = []
  }

  take(): string | LongLine {
    const head = this.#head
    const taken =
      head === undefined
        ? Buffer.concat(this.#parts).toString()
        : { id: idOfEdges(textOf(head), textOf(this.#tail)), limit: this.#limit }
    this.#parts = []
    this.#length = 0
    this.#head = undefined
    return taken
  }
}

function lastOf(parts: readonly Uint8Array[]): Uint8Array {
  // A copy, because a part of a large chunk would keep all of it.
  return Buffer.from(Buffer.concat(parts.slice(-EDGE_BYTES)).subarray(-EDGE_BYTES))
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}

const ID = String.raw`"id"\s*:\s*("[^"\\]*"|-?\d{1,15})\s*`
// Members with plain values before the id are members of the message itself.
const FIRST = new RegExp(String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*${ID}[,}]`)
// The last brace of a line ends the message, so the member before it is one of the message.
const LAST = new RegExp(String.raw`[,{]\s*${ID}\}\s*$`)

/** The id of a message of which only the two ends are known. */
function idOfEdges(head: string, tail: string): RpcId | null {
  const found = FIRST.exec(head)?.[1] ?? LAST.exec(tail)?.[1]
  return found === undefined ? null : (parseOwnJson(found) as RpcId)
}
