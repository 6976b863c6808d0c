import { Agent, request as httpRequest } from 'node:http'
import { onTestFinished } from 'vitest'

/** Many that ask for a stream of one tenant at the same time. */
export interface Crowd {
  /** What each of them was answered with. */
  readonly statuses: readonly number[]
  /** Leaves everything that was opened. */
  leave(): void
}

/** Asks for `count` streams at once, on each of the ports in turn, and resolves when all have an answer. */
export async function askAtOnce(count: number, ports: readonly number[], path: string): Promise<Crowd> {
  const agent = new Agent({ maxSockets: count })
  onTestFinished(() => agent.destroy())
  const requests = Array.from({ length: count }, (_, index) =>
    httpRequest({
      port: ports[index % ports.length],
      agent,
      host: '127.0.0.1',
      method: 'POST',
      path,
      headers: { accept: 'text/event-stream', 'x-tenant-id': 'acme' },
    }),
  )
  const answers = requests.map(
    (request) =>
      new Promise<number>((resolve, reject) => {
        request.on('error', reject)
        request.on('response', (response) => {
          response.on('error', () => undefined).resume()
          resolve(response.statusCode ?? 0)
        })
        request.end()
      }),
  )
  return {
    statuses: await Promise.all(answers),
    leave() {
      for (const request of requests) request.destroy()
    },
  }
}
