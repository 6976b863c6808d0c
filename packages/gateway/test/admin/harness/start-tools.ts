import { type RequiredInput, writeOutcome } from '@agentic-rest/profile'
import { freePort } from '@agentic-rest/testing/free-port'
import { startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { expect } from 'vitest'
import { type AdminTest, startAdmin, type TestAdmin } from './start-admin.ts'

/** The name of the client: markup, a character that reorders a line, and more than 64 characters. */
export const clientName = `<b>Desk</b> \u202E${'x'.repeat(100)}`

/** A gateway with tools, and a client of them. */
export interface TestTools extends TestAdmin {
  /** Calls the tool `take-room`: a round without the input that is asked for, and one with it. */
  takeRoom(correlationId: string): Promise<void>
}

/** Starts a gateway: the upstream `rooms` with a target that is away, a tool, a tool without a document, and a plain route. */
export async function startTools(test: AdminTest = {}): Promise<TestTools> {
  const service = await startUpstream((request, response) => {
    const trace = traceOf(request)
    if (request.url === '/openapi.json') return response.writeHead(404).end()
    const isAsked = request.method === 'POST' && !request.body.includes('nights')
    const { status, headers, body } = isAsked
      ? writeOutcome(
          { type: 'clarification_required', message: 'More, please.', requiredInputs: [nights] },
          trace,
        )
      : writeOutcome({ type: 'success', body: { id: 's-1' } }, trace)
    return response.writeHead(status, headers).end(body)
  })
  const away = `http://127.0.0.1:${await freePort()}`
  const health = { path: '/healthz', interval_seconds: 1, unhealthy_after: 1, healthy_after: 1 }
  const target = service.url
  const tool = { input: 'none', title: 'Take a room', description: 'Takes a room.' }
  const admin = await startAdmin({
    ...test,
    config: {
      mcp: {},
      upstreams: { rooms: { targets: [target, { url: away, weight: 2 }], health } },
      routes: [
        { id: 'take-room', method: 'POST', path: '/rooms/{room}/stays', upstream: 'rooms', mcp: tool },
        { id: 'read-room', method: 'GET', path: '/rooms/{room}', target, mcp: { name: 'see-room' } },
        { id: 'list-rooms', method: 'GET', path: '/rooms', target },
      ],
    },
  })
  return { ...admin, takeRoom: (correlationId) => takeRoom(admin.url, correlationId) }
}

const nights: RequiredInput = {
  name: 'nights',
  location: 'body',
  type: 'integer',
  required: true,
  question: 'How many nights?',
}

async function takeRoom(url: string, correlationId: string): Promise<void> {
  const ask = (more: object) => callTool(url, correlationId, more)
  const { requestState } = await ask({})
  const inputResponses = { inputs: { action: 'accept', content: { nights: 2 } } }
  const ended = await ask({ requestState, inputResponses })
  expect(ended).toMatchObject({ structuredContent: { id: 's-1' } })
}

async function callTool(url: string, correlationId: string, more: object): Promise<Record<string, unknown>> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    'io.modelcontextprotocol/clientInfo': { name: clientName, version: '1' },
  }
  const params = { name: 'take-room', arguments: { room: '12' }, _meta, ...more }
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'take-room',
      'X-Tenant-ID': 'acme',
      'X-Correlation-ID': correlationId,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await answer.json()) as { result: Record<string, unknown> }
  return result
}
