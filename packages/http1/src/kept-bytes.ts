const NOTHING = Buffer.alloc(0)
/** Pieces are joined up to this size. */
const BLOCK_BYTES = 16_384

/**
 * Bytes in their order, in few pieces. A client can send a body byte by byte, and each piece takes about 75 bytes of its
 * own: ten megabytes of a body would take a gigabyte.
 */
export class KeptBytes {
  length = 0
  readonly pieces: Buffer[] = []
  /** The memory of the last piece, with room behind it, if pieces were joined there. */
  private block = NOTHING

  add(bytes: Buffer): void {
    this.length += bytes.length
    const last = this.pieces.length - 1
    const before = this.pieces[last]
    if (before === undefined || before.length + bytes.length > BLOCK_BYTES) this.pieces.push(bytes)
    else this.pieces[last] = this.join(before, bytes)
  }

  /** Takes the first piece out. */
  shift(): Buffer | undefined {
    const first = this.pieces.shift()
    this.length -= first?.length ?? 0
    return first
  }

  /** All bytes in one piece. */
  whole(): Buffer {
    const [first = NOTHING] = this.pieces
    return this.pieces.length <= 1 ? first : Buffer.concat(this.pieces, this.length)
  }

  clear(): void {
    this.length = 0
    this.pieces.length = 0
    this.block = NOTHING
  }

  private join(before: Buffer, bytes: Buffer): Buffer {
    const length = before.length + bytes.length
    if (before.buffer !== this.block.buffer || length > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, length * 2))
      before.copy(this.block)
    }
    bytes.copy(this.block, before.length)
    return this.block.subarray(0, length)
  }
}
