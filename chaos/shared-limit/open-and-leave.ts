import { request as httpRequest } from 'node:http'
import { headers } from '@agentic-rest/profile'

/** What to ask for. */
export interface Visit {
  readonly port: number
  readonly tenant: string
  /** The stream ends by itself after so many milliseconds; 0 for one that does not end. */
  readonly endsAfterMs: number
  /** The client leaves so long after the head of the answer, or after it has asked, whether it has an answer or not. */
  readonly leaves: { readonly after: 'head' | 'asking'; readonly ms: number }
}

/** How a visit went: the status of its answer, or that there was none. */
export type Visited = number | 'left before the answer' | 'connection lost'

/** Asks for a stream and leaves it, by hanging up. */
export function openAndLeave({ port, tenant, endsAfterMs, leaves }: Visit): Promise<Visited> {
  return new Promise((resolve) => {
    let result: Visited = 'connection lost'
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: `/streams/${endsAfterMs}`,
      headers: { accept: 'text/event-stream', [headers.tenantId]: tenant },
    })
    const leave = () => {
      if (result === 'connection lost') result = 'left before the answer'
      request.destroy()
    }
    if (leaves.after === 'asking') setTimeout(leave, leaves.ms)
    request.on('error', () => undefined)
    request.on('close', () => resolve(result))
    request.on('response', (response) => {
      result = response.statusCode ?? 0
      response.on('error', () => undefined).resume()
      if (leaves.after === 'head') setTimeout(leave, leaves.ms)
    })
    request.end()
  })
}
