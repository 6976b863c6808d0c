import type { ServerResponse } from 'node:http'
import type { EventBody, FrameWriter } from '../stream/event-body.ts'

// A run that never waits and a reader that takes everything at once would otherwise keep the process from everything else.
const FRAMES_PER_TURN = 256

/**
 * Writes an event stream to a response of Node without the web streams between them. Node holds one frame at most: the next
 * one is asked for when the kernel has taken it.
 */
export function writeEvents(
  { status, headers }: Response,
  source: EventBody,
  outgoing: ServerResponse,
): void {
  if (outgoing.destroyed) {
    source.leave()
    return
  }
  outgoing.setHeaders(headers)
  outgoing.writeHead(status)
  if (outgoing.req.method === 'HEAD') {
    outgoing.end()
    source.leave()
    return
  }
  outgoing.flushHeaders()
  const leave = () => source.leave()
  outgoing.on('close', leave)
  // Without a listener the error of a broken connection would end the process. It is followed by `close`.
  outgoing.on('error', leave)
  new ResponseWriter(source, outgoing).ask()
}

/** A class, because every stream has one for its whole life. */
class ResponseWriter implements FrameWriter {
  private readonly source: EventBody
  private readonly outgoing: ServerResponse
  private frames = 0

  constructor(source: EventBody, outgoing: ServerResponse) {
    this.source = source
    this.outgoing = outgoing
  }

  ask(): void {
    this.source.want(this)
  }

  write(frame: string): void {
    this.outgoing.write(frame, this.onTaken)
  }

  end(): void {
    this.outgoing.end()
  }

  private readonly onTaken = (fault?: Error | null): void => {
    this.frames += 1
    if (fault) this.source.leave()
    else if (this.frames % FRAMES_PER_TURN === 0) setImmediate(() => this.ask())
    else this.ask()
  }
}
