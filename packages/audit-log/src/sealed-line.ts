import { createReadStream } from 'node:fs'
import { parseJson } from '@agentic-rest/profile'

/** The `prev` of the first line of a log. */
export const NO_LINE = '0'.repeat(64)

const LINE_END = 10
const HEAD = /^\{"seq":(0|[1-9]\d{0,15}),"prev":"([0-9a-f]{64})"[,}]/
const HEAD_BYTES = 110

/** The fields that every sealed line begins with. */
export interface LineHead {
  readonly seq: number
  /** The hex SHA-256 of the line before, without its newline. */
  readonly prev: string
}

/** Facts of a write, in its first line. */
export interface WriteFacts {
  /** The time of the write: that of a record is when its request began. */
  readonly written: string
  /** The records lost before it. */
  readonly lost: number
}

/** Puts the fields of the chain in front of a record, which is the text of a JSON object with members. */
export function sealedText(record: string, { seq, prev }: LineHead, facts?: WriteFacts): string {
  const text = facts === undefined ? '' : `"written":"${facts.written}",${lostText(facts.lost)}`
  return `{"seq":${seq},"prev":"${prev}",${text}${record.slice(1)}`
}

/** Puts the number of lost records in front of a record of a file without a seal. */
export function plainText(record: string, lost = 0): string {
  return lost === 0 ? record : `{${lostText(lost)}${record.slice(1)}`
}

function lostText(lost: number): string {
  return lost === 0 ? '' : `"lost":${lost},`
}

/** Reads the beginning of a sealed line; `undefined` when it is none. */
export function readHead(line: Buffer): LineHead | undefined {
  const [, seq, prev] = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES)) ?? []
  return seq === undefined || prev === undefined ? undefined : { seq: Number(seq), prev }
}

/** Whether a line is a JSON object. */
export function isJsonObject(line: Buffer): boolean {
  const { value } = parseJson(line.toString())
  return typeof value === 'object' && value !== null
}

/** Some lines of a file, each without its newline. */
export interface LineChunk {
  readonly lines: readonly Buffer[]
  /** The bytes after the last newline; only in the last chunk. */
  readonly rest: Buffer | undefined
}

/** Reads a file in chunks of whole lines. The last chunk has no line but the rest, which may be empty. */
export async function* readLines(file: string): AsyncGenerator<LineChunk> {
  let rest = Buffer.alloc(0)
  for await (const read of createReadStream(file, { highWaterMark: 1_048_576 })) {
    const chunk: Buffer = rest.length === 0 ? read : Buffer.concat([rest, read])
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      lines.push(chunk.subarray(start, end))
      start = end + 1
    }
    rest = Buffer.from(chunk.subarray(start))
    yield { lines, rest: undefined }
  }
  yield { lines: [], rest }
}
