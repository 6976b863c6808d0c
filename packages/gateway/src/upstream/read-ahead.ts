import type { BodyEnd, BodySink, UpstreamBody } from './dispatch.ts'

/** The start of a body: all of it, more than the bound with the rest to come, or less than all because it broke off. */
export type ReadAhead =
  | { readonly bytes: Buffer }
  | { readonly body: UpstreamBody }
  | { readonly error: Error }

/** Reads a body up to `maxBytes` before anything is passed on. A longer body can still be read completely, from its start. */
export function readAhead(body: UpstreamBody, maxBytes: number): Promise<ReadAhead> {
  return new Promise((resolve) => {
    const started = new StartedBody(body)
    let isLonger = false
    body.pipe({
      chunk(bytes) {
        if (isLonger) return started.chunk(bytes)
        isLonger = started.add(bytes) > maxBytes
        if (isLonger) resolve({ body: started })
        return !isLonger
      },
      end(end) {
        started.end(end)
        resolve(end.complete ? { bytes: started.whole() } : { error: end.error })
      },
    })
  })
}

/** A body whose first chunks were read. The rest waits for the reader. */
class StartedBody implements UpstreamBody, BodySink {
  readonly #body: UpstreamBody
  #chunks: Buffer[] = []
  #length = 0
  #ended: BodyEnd | undefined
  #sink: BodySink | undefined

  constructor(body: UpstreamBody) {
    this.#body = body
  }

  /** Keeps a chunk, or passes it on; returns the length of the body so far. */
  add(bytes: Buffer): number {
    this.#length += bytes.length
    this.#chunks.push(bytes)
    return this.#length
  }

  chunk(bytes: Buffer): boolean {
    if (this.#sink !== undefined) return this.#sink.chunk(bytes)
    this.add(bytes)
    return false
  }

  end(end: BodyEnd): void {
    this.#ended = end
    this.#sink?.end(end)
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks, this.#length)
  }

  takeWhole(): Buffer | undefined {
    return this.#ended?.complete === true ? this.whole() : undefined
  }

  pipe(sink: BodySink): void {
    this.#sink = sink
    let wantsMore = true
    for (const bytes of this.#chunks.splice(0)) wantsMore = sink.chunk(bytes) && wantsMore
    const ended = this.#ended
    if (ended?.complete === true) sink.end(ended)
    // The chunks before the fault are sent first, as for every body.
    else if (ended !== undefined) setImmediate(() => sink.end(ended))
    else if (wantsMore) this.resume()
  }

  pause(): void {
    this.#body.pause()
  }

  resume(): void {
    this.#body.resume()
  }

  abort(): void {
    this.#body.abort()
  }
}
