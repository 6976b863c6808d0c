import {
  fieldBlock,
  frame,
  frameFlags,
  frameTypes,
  get,
  preface,
} from '../../packages/gateway/test/http2/frames.ts'
import type { Seeded } from '../seeded.ts'

/** The bytes of one connection with HTTP/2, and the way they are sent. */
export interface FrameConversation {
  readonly parts: readonly Buffer[]
  /** Whether the client reads. */
  readonly reads: boolean
  /** Whether the client closes its side before it leaves. */
  readonly ends: boolean
  readonly staysMs: number
}

/** The paths of the fuzzed gateway; the service behind each one behaves in another way. */
export const framePaths = ['/item', '/silent', '/broken', '/early', '/events'] as const

const PRIORITY_BYTES = 5
const WINDOW_UPDATE = 8
const LARGEST_PAYLOAD = 16_384
const FRAME_TYPES = 12

/** Creates requests, bodies, resets and other frames, in an order and with bytes that may be wrong. */
export function makeFrameConversation(random: Seeded): FrameConversation {
  const parts: Buffer[] = [random.chance(0.97) ? preface : Buffer.alloc(preface.length, random.below(256))]
  const streams: number[] = []
  for (let count = random.between(1, 30); count > 0; count -= 1) parts.push(makeFrame(random, streams))
  const sent = random.chance(0.25) ? [changed(Buffer.concat(parts), random)] : parts
  return {
    parts: random.chance(0.5) ? [Buffer.concat(sent)] : sent,
    reads: random.chance(0.8),
    ends: random.chance(0.3),
    staysMs: random.below(60),
  }
}

function makeFrame(random: Seeded, streams: number[]): Buffer {
  const stream = () => (streams.length > 0 && random.chance(0.85) ? random.pick(streams) : random.below(80))
  const dice = random.number()
  if (dice < 0.45) return request(random, streams)
  if (dice < 0.6) return data(random, stream())
  if (dice < 0.72) return numbers(frameTypes.reset, stream(), [random.below(16)])
  if (dice < 0.8) return numbers(WINDOW_UPDATE, random.chance(0.4) ? 0 : stream(), [random.below(2 ** 31)])
  if (dice < 0.84) return numbers(frameTypes.ping, 0, [1, 2])
  if (dice < 0.9) return setting(random)
  if (dice < 0.93) return trailers(stream())
  if (dice < 0.95) return numbers(frameTypes.goaway, 0, [random.below(60), random.below(14)])
  return frame({
    type: random.below(FRAME_TYPES),
    flags: random.below(256),
    stream: random.below(60),
    payload: Buffer.alloc(random.below(8 * PRIORITY_BYTES), random.below(256)),
  })
}

type Field = readonly [string, string]

const oddFields: readonly Field[] = [
  ...([
    ['te', 'trailers'],
    ['te', 'gzip'],
    ['connection', 'close'],
    ['host', 'other'],
  ] as const),
  ...([
    ['x\0', 'a'],
    ['x-a', 'b\r\nc: d'],
    ['cookie', 'a=1'],
    ['cookie', 'b=2'],
  ] as const),
  ...([
    [':path', '/item'],
    [':protocol', 'websocket'],
    ['expect', '100-continue'],
    ['X-Upper', '1'],
  ] as const),
  ...([
    ['content-length', '5'],
    ['content-length', '0'],
    ['content-length', '99999999'],
  ] as const),
]

function request(random: Seeded, streams: number[]): Buffer {
  const stream = random.chance(0.95) ? 2 * streams.length + 1 : random.below(80)
  streams.push(stream)
  const hasBody = random.chance(0.4)
  const method = random.chance(0.9)
    ? hasBody
      ? 'POST'
      : 'GET'
    : random.pick(['HEAD', 'OPTIONS', 'CONNECT', 'X', ''])
  const path = random.chance(0.9)
    ? random.pick(framePaths)
    : random.pick(['/none', '*', '', '/a/../b', '/\xff'])
  const fields: Field[] = [[':method', method], ...get(path).slice(1), ['x-tenant-id', 'acme']]
  while (random.chance(0.15)) fields.push(random.pick(oddFields))
  if (random.chance(0.05)) fields.push(['x-long', 'x'.repeat(random.below(60_000))])
  if (random.chance(0.05)) fields.splice(random.below(fields.length), 1)
  const isEnd = hasBody ? random.chance(0.1) : random.chance(0.9)
  const flags = (random.chance(0.95) ? frameFlags.endHeaders : 0) | (isEnd ? frameFlags.endStream : 0)
  const payload = fieldBlock(fields).subarray(0, LARGEST_PAYLOAD)
  return frame({ type: frameTypes.headers, flags, stream, payload })
}

function data(random: Seeded, stream: number): Buffer {
  const payload = Buffer.alloc(random.below(random.chance(0.9) ? 200 : LARGEST_PAYLOAD))
  return frame({
    type: frameTypes.data,
    flags: random.chance(0.5) ? frameFlags.endStream : 0,
    stream,
    payload,
  })
}

function trailers(stream: number): Buffer {
  const flags = frameFlags.endHeaders | frameFlags.endStream
  return frame({ type: frameTypes.headers, flags, stream, payload: fieldBlock([['x-late', '1']]) })
}

function setting(random: Seeded): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(random.below(8), 0)
  payload.writeUInt32BE(random.chance(0.5) ? random.below(100) : random.below(2 ** 32), 2)
  return frame({ type: frameTypes.settings, flags: 0, stream: 0, payload })
}

function numbers(type: number, stream: number, values: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, 4 * index)
  return frame({ type, flags: 0, stream, payload })
}

function changed(bytes: Buffer, random: Seeded): Buffer {
  for (let count = random.between(1, 3); count > 0; count -= 1)
    bytes.writeUInt8(random.below(256), random.below(bytes.length))
  return bytes
}
