import { request as httpRequest } from 'node:http'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** What a client got, to the byte. */
export interface Answer {
  readonly status: number
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** Values by lower-case name; repeated ones are a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** False when the connection was cut before the body had ended. */
  readonly complete: boolean
}

/** What to send; a tenant and both ids go along unless a test says otherwise. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer | Readable
  readonly signal?: AbortSignal
}

/** The ids that every request of `sendRequest` carries. */
export const ids = { correlationId: 'corr-1', requestId: 'req-1' }

/** Sends one request on a connection of its own; rejects when it is cut before a head came. */
export function sendRequest(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, signal } = options
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        'x-tenant-id': 'acme',
        'x-correlation-id': ids.correlationId,
        'x-request-id': ids.requestId,
        // Node frames the body of a DELETE only when it is told its length.
        ...(isWhole(body) &&
          !('transfer-encoding' in headers) && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      ...(signal && { signal }),
    })
    onTestFinished(() => void request.destroy())
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined)
      response.on('close', () => {
        const { statusCode: status = 0, rawHeaders, headers: values, complete } = response
        resolve({ status, rawHeaders, headers: values, complete, body: Buffer.concat(chunks) })
      })
    })
    if (body === undefined || isWhole(body)) request.end(body)
    else body.pipe(request)
  })
}

function isWhole(body: RequestOptions['body']): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}

/** Every value of a header, in order. */
export function headerValues({ rawHeaders }: Pick<Answer, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase(),
  )
}
