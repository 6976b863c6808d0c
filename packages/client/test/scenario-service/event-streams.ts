import type { ServerResponse } from 'node:http'
import { writeOutcome } from '@agentic-rest/profile'
import { sampleOutcomes } from '../sample-outcomes.ts'
import { type Handler, sendOutcome } from './send-outcome.ts'

/** Event streams, whole and broken. */
export function eventStreams(): Record<string, Handler> {
  const closed: string[] = []
  return {
    events: (request, response, requests) => {
      const kind = request.segments[1] ?? ''
      const stream = kinds[kind]
      if (stream === undefined) throw new Error(`there is no event stream ${kind}`)
      response.on('close', () => closed.push(`${kind} ${request.trace.correlationId}`))
      stream(request, response, requests)
    },
    // The streams that the client has closed.
    closed: (request, response) => {
      const left = closed.filter((entry) => entry.endsWith(` ${request.query.get('correlationId')}`))
      sendOutcome(response, request.trace, { type: 'success', body: { closed: left.length } })
    },
  }
}

function open(response: ServerResponse): ServerResponse {
  return response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-agentic-profile': 'v0.3',
  })
}

/** Sends the bytes in separate chunks of a size. */
async function sendChunks(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    await new Promise((resolve) => response.write(bytes.subarray(at, at + size), resolve))
  }
}

const kinds: Readonly<Record<string, Handler>> = {
  plain: async ({ body }, response) => {
    open(response)
    const text = [
      '\uFEFF: a comment\r\n',
      'data: first\r\n\r\n',
      'event: token\rid: 7\rdata: grüße 🎉\rdata:zweite Zeile\r\r',
      'retry: 10\nid\n\ndata\n\n',
      `event: prompt\ndata: ${body}\n\n`,
      'data: never ended',
    ].join('')
    await sendChunks(response, Buffer.from(text), 3)
    response.end()
  },
  endless: (_request, response) => {
    open(response).write('data: tick\n\n')
    const timer = setInterval(() => response.write('data: tick\n\n'), 5)
    response.on('close', () => clearInterval(timer))
  },
  silent: (_request, response) => void open(response).write('data: one\n\n'),
  long: (_request, response) => {
    open(response).write('data: short\n\ndata: ')
    const chunk = Buffer.alloc(1000, 'x')
    const timer = setInterval(() => response.write(chunk), 1)
    response.on('close', () => clearInterval(timer))
  },
  failed: (request, response) => {
    const { body } = writeOutcome(sampleOutcomes.failed_dependency, request.trace)
    open(response).end(`data: one\n\nevent: error\ndata: ${body}\n\n`)
  },
  'own-error': (_request, response) =>
    void open(response).end(
      'event: error\ndata: my own words\n\nevent: error\ndata: {"type":"error"}\n\ndata: two\n\n',
    ),
  cut: (_request, response) => {
    // Wait: the connection is cut after the client has read; nothing tells the service of that.
    open(response).write('data: one\n\n', () => setTimeout(() => response.socket?.destroy(), 20))
  },
  refused: (request, response) =>
    sendOutcome(response, request.trace, {
      type: 'error',
      condition: 'limit_exceeded',
      code: 'LIMIT_EXCEEDED',
      message: 'Too many.',
      retryAfter: 60,
    }),
  json: (request, response) => sendOutcome(response, request.trace, sampleOutcomes.success),
}
