/** How the body of an answer ended. */
export type BodyEnd = { readonly complete: true } | { readonly complete: false; readonly error: Error }

/** Takes the parts of a body as they come. */
export interface BodySink {
  /** False asks for a pause; `resume` of the body goes on. */
  chunk(bytes: Buffer): boolean
  end(end: BodyEnd): void
}

/** The body of an upstream's answer. It is kept until somebody takes it; then it flows. */
export interface UpstreamBody {
  /** All of it, when it came together with the head; nobody needs to wait for it then. */
  takeWhole(): Buffer | undefined
  pipe(sink: BodySink): void
  resume(): void
  /** Ends the upstream request at once. */
  abort(): void
}

/** The head of an upstream's answer, and its body. */
export interface UpstreamAnswer {
  readonly status: number
  /** Names and values in turn, as the upstream sent them. */
  readonly rawHeaders: readonly string[]
  readonly body: UpstreamBody
}

/** All values of a header in a list of names and values, joined as RFC 9110, section 5.3 says. */
export function joinedHeader(rawHeaders: readonly string[], key: string): string | undefined {
  let joined: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== key) continue
    const value = rawHeaders[index + 1] ?? ''
    joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

/** A list of names and values without one header. */
export function withoutHeader(rawHeaders: readonly string[], key: string): readonly string[] {
  return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== key)
}

/** A body in memory, or why there is none. */
export type CollectedBody =
  | { readonly bytes: Buffer }
  | { readonly problem: 'too_large' | 'cut_off'; readonly error?: Error }

/** Reads a whole body, at most `maxBytes` of it; without a promise when it is there already. */
export function collectBody(body: UpstreamBody, maxBytes: number): CollectedBody | Promise<CollectedBody> {
  const whole = body.takeWhole()
  if (whole === undefined) return collectChunks(body, maxBytes)
  return whole.length <= maxBytes ? { bytes: whole } : { problem: 'too_large' }
}

function collectChunks(body: UpstreamBody, maxBytes: number): Promise<CollectedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    body.pipe({
      chunk(bytes) {
        length += bytes.length
        chunks.push(bytes)
        if (length <= maxBytes) return true
        resolve({ problem: 'too_large' })
        body.abort()
        return false
      },
      end(end) {
        if (end.complete) resolve({ bytes: Buffer.concat(chunks, length) })
        else resolve({ problem: 'cut_off', error: end.error })
      },
    })
  })
}
