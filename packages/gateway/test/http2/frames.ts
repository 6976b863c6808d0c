import type { Duplex } from 'node:stream'

/** A frame as it is on the wire (RFC 9113, section 4.1). */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** The types of frames that tests use. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  continuation: 9,
} as const
/** The flags of frames that tests use. */
export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4 } as const

const HEADER_BYTES = 9

/** Writes a frame. */
export function frame({ type, flags, stream, payload }: Frame): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const NOTHING = Buffer.alloc(0)

/** The first bytes of a client: preface and empty settings. */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame({ type: frameTypes.settings, flags: 0, stream: 0, payload: NOTHING }),
])

/** Encodes fields as literals that nobody keeps (RFC 7541, section 6.2.2), so that a test can send any text. */
export function fieldBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]))
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const prefix = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) prefix.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([...prefix, rest]), bytes])
}

/** A request head of a stream, complete and without a body unless flags say otherwise. */
export function head(
  stream: number,
  fields: readonly (readonly [string, string])[],
  flags: number = frameFlags.endHeaders | frameFlags.endStream,
): Buffer {
  return frame({ type: frameTypes.headers, flags, stream, payload: fieldBlock(fields) })
}

/** Takes a stream back. */
export function reset(stream: number): Buffer {
  return frame({ type: frameTypes.reset, flags: 0, stream, payload: Buffer.from([0, 0, 0, 8]) })
}

/** The pseudo headers of a GET. */
export const get = (path: string): readonly (readonly [string, string])[] => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'gateway'],
  [':path', path],
]

/** Reads the frames of the server. */
export class FrameReader {
  readonly frames: Frame[] = []
  isClosed = false
  private rest: Buffer = NOTHING
  private readonly waiting = new Set<() => void>()

  constructor(socket: Duplex) {
    socket.on('data', (bytes: Buffer) => this.take(bytes))
    socket.on('close', () => {
      this.isClosed = true
      this.tell()
    })
  }

  /** Resolves with the first frame that fits, or nothing when the connection ends before. */
  find(fits: (frame: Frame) => boolean): Promise<Frame | undefined> {
    return new Promise((resolve) => {
      const check = () => {
        const found = this.frames.find(fits)
        if (found === undefined && !this.isClosed) return
        this.waiting.delete(check)
        resolve(found)
      }
      this.waiting.add(check)
      check()
    })
  }

  /** The code of the reset or of the end that a stream or the connection got. */
  async codeOf(type: number, stream = 0): Promise<number | undefined> {
    const found = await this.find((frame) => frame.type === type && frame.stream === stream)
    return found?.payload.readUInt32BE(type === frameTypes.goaway ? 4 : 0)
  }

  private take(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes])
    while (this.rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.rest.readUIntBE(0, 3)
      if (this.rest.length < end) break
      this.frames.push({
        type: this.rest.readUInt8(3),
        flags: this.rest.readUInt8(4),
        stream: this.rest.readUInt32BE(5),
        payload: this.rest.subarray(HEADER_BYTES, end),
      })
      this.rest = this.rest.subarray(end)
    }
    this.tell()
  }

  private tell(): void {
    for (const check of this.waiting) check()
  }
}
