import { after } from 'node:test'
import { createService } from '@agentic-rest/service'
import { operations } from '../src/operations.ts'

// No gateway, no network, no files.
const nothing = () => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const service = createService({ operations, store: { memory: true }, log })
after(() => service.close())

/** The caller of a request. In production the gateway takes it from the token. */
export interface Caller {
  readonly name: string
  readonly roles: readonly string[]
}

export const alice: Caller = { name: 'alice', roles: ['support'] }
export const dave: Caller = { name: 'dave', roles: ['manager'] }

interface Sent {
  readonly as?: Caller
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request, such as `POST /questions`, and reads the answer. */
export async function send(request: string, sent: Sent = {}) {
  const answer = await fetchAnswer(request, sent)
  const read: Readonly<Record<string, unknown>> = JSON.parse(await answer.text())
  return { status: answer.status, headers: answer.headers, body: read }
}

/** Sends a request that accepts a stream, and reads the data of all events. The last one is the outcome. */
export async function stream(request: string, sent: Sent = {}): Promise<readonly unknown[]> {
  const answer = await fetchAnswer(request, {
    ...sent,
    headers: { Accept: 'text/event-stream', ...sent.headers },
  })
  const frames = (await answer.text()).trimEnd().split('\n\n')
  return frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)))
}

function fetchAnswer(request: string, { as = alice, body, headers = {} }: Sent): Promise<Response> {
  const [method = '', path = ''] = request.split(' ')
  return service.fetch(
    new Request(new URL(path, 'http://localhost'), {
      method,
      headers: {
        'Content-Type': 'application/json',
        'X-Tenant-ID': 'acme',
        'X-Actor-Subject': as.name,
        'X-Actor-Roles': as.roles.join(','),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}
