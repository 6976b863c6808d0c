import type { ServerResponse } from 'node:http'
import { type ReceivedRequest, startUpstream, type TestUpstream } from './start-upstream.ts'

/** An upstream that opens an event stream and leaves the events to the test. */
export interface EventUpstream extends TestUpstream {
  readonly streams: OpenedStream[]
  /** Resolves with the nth stream (from 0) once it is open. */
  opened(index?: number): Promise<OpenedStream>
}

/** One stream as the upstream holds it. */
export interface OpenedStream {
  readonly request: ReceivedRequest
  readonly response: ServerResponse
  /** Resolves when the gateway has closed its side. */
  readonly closed: Promise<void>
}

/** Starts it. */
export async function startEventUpstream(
  headers: Record<string, string> = { 'content-type': 'text/event-stream' },
): Promise<EventUpstream> {
  const streams: OpenedStream[] = []
  const waiting = new Set<() => void>()
  const upstream = await startUpstream((request, response) => {
    response.writeHead(200, headers)
    response.flushHeaders()
    const closed = new Promise<void>((resolve) => response.on('close', resolve))
    streams.push({ request, response, closed })
    for (const check of waiting) check()
  })
  const opened = (index = 0) =>
    new Promise<OpenedStream>((resolve) => {
      const check = () => {
        const stream = streams[index]
        if (stream === undefined) return
        waiting.delete(check)
        resolve(stream)
      }
      waiting.add(check)
      check()
    })
  return { ...upstream, streams, opened }
}
