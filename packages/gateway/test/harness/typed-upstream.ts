import type { TestConfig } from '@agentic-rest/testing/config-text'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type ReceivedRequest, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'

/** What an upstream answers with; headers are names and values in turn. */
export interface UpstreamReply {
  readonly status?: number
  readonly type?: string
  readonly headers?: readonly string[]
  readonly body: unknown
}

/** A gateway in front of an upstream whose answer a test sets before each request. */
export interface TypedPair extends TestGateway {
  readonly upstream: TestUpstream
  next: UpstreamReply | ((request: ReceivedRequest) => UpstreamReply)
}

/** Starts both; `GET` and `POST /r` lead to the upstream. */
export async function startTypedPair(
  route: Record<string, unknown> = {},
  config: Partial<TestConfig> = {},
): Promise<TypedPair> {
  const upstream = await startUpstream((request, response) => {
    const reply = typeof pair.next === 'function' ? pair.next(request) : pair.next
    const { status = 200, type, headers = [], body } = reply
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, [...(type === undefined ? [] : ['Content-Type', type]), ...headers])
    response.end(bytes)
  })
  const gateway = await startGateway({
    ...config,
    routes: ['GET', 'POST'].map((method) => ({
      id: method,
      method,
      path: '/r',
      target: upstream.url,
      ...route,
    })),
  })
  const pair: TypedPair = { ...gateway, upstream, next: { body: {} } }
  return pair
}
