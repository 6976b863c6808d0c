import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

/** A client that reads a stream as it comes. */
export interface StreamClient {
  readonly request: ClientRequest
  readonly response: IncomingMessage
  /** Everything that has arrived. */
  text(): string
  /** Resolves once the text contains `part`; rejects when the stream ends without it. */
  until(part: string): Promise<string>
  /** Resolves when the stream is over, `complete` when it ended by itself. */
  readonly ended: Promise<{ complete: boolean; text: string }>
  /** Leaves without a word. */
  leave(): void
}

/** What to open a stream with. */
export interface StreamOptions {
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Opens a stream with `POST` and resolves with its head. */
export function openStream({ url, headers = {}, body = '{}' }: StreamOptions): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      agent: false,
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'x-tenant-id': 'acme',
        ...headers,
      },
    })
    onTestFinished(() => void request.destroy())
    request.on('error', reject)
    request.on('response', (response) => resolve(follow(request, response)))
    request.end(body)
  })
}

function follow(request: ClientRequest, response: IncomingMessage): StreamClient {
  let text = ''
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    wake()
  })
  const ended = new Promise<{ complete: boolean; text: string }>((resolve) => {
    response.on('error', () => undefined)
    response.on('close', () => resolve({ complete: response.complete, text }))
  })
  return {
    request,
    response,
    ended,
    text: () => text,
    leave: () => void request.destroy(),
    until: (part) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!text.includes(part)) return
          waiting.delete(check)
          resolve(text)
        }
        waiting.add(check)
        ended.then(() => reject(new Error(`the stream ended without ${part}: ${text}`)))
        check()
      }),
  }
}
