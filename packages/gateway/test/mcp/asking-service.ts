import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type Outcome, writeOutcome } from '@agentic-rest/profile'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { onTestFinished } from 'vitest'

const question: Outcome = {
  type: 'clarification_required',
  message: 'More input is needed.',
  requiredInputs: [
    { name: 'goal', type: 'string', required: true, question: 'Which goal?', location: 'body' },
  ],
}

/** A service that asks for the goal, and tells it then. It never answers for the campaign `slow`. */
async function startAskingService() {
  return await startUpstream(({ url, headers, body }, response) => {
    if (url === '/campaigns/slow') return
    const { goal } = JSON.parse(String(body))
    const trace = {
      correlationId: String(headers['x-correlation-id']),
      requestId: String(headers['x-request-id']),
    }
    const outcome: Outcome = goal === undefined ? question : { type: 'success', body: { goal } }
    const written = writeOutcome(outcome, trace)
    response.writeHead(written.status, { ...written.headers }).end(written.body)
  })
}

/** A configuration with the service as a tool. */
export async function askingConfig(mcp: Record<string, unknown>, gateway: Record<string, unknown> = {}) {
  const { url: target, ...upstream } = await startAskingService()
  const tool = { input: 'none', description: 'Optimizes.' }
  const route = { id: 'optimize', method: 'POST', path: '/campaigns/{id}', target, mcp: tool }
  return { upstream, config: { gateway, mcp, routes: [route] } }
}

/** A message to the endpoint. */
export interface Sent {
  readonly body: object
  readonly headers?: Record<string, string>
}

/** Sends a message on a connection of its own: the connections go to the workers in turn. */
export function send(url: string, { body, headers = {} }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'X-Tenant-ID': 'acme',
        ...headers,
      },
    })
    onTestFinished(() => void request.destroy())
    request
      .on('error', reject)
      .on('response', resolve)
      .end(JSON.stringify({ jsonrpc: '2.0', ...body }))
  })
}

/** The messages of an event stream, as they come. */
export async function* messagesOf(answer: IncomingMessage) {
  let rest = ''
  for await (const chunk of answer) {
    const frames = (rest + String(chunk)).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.+)$/m.exec(frame)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}

/** Begins a session of 2025 that can show forms; resolves with its headers. */
export async function openSession(
  url: string,
  own: Record<string, string> = {},
): Promise<Record<string, string>> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'old', version: '1' },
  }
  const opened = await send(url, { body: { id: 0, method: 'initialize', params }, headers: own })
  opened.resume()
  return {
    ...own,
    'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
    'MCP-Protocol-Version': '2025-11-25',
  }
}

/** A call that is asked for the goal. */
export const call = { method: 'tools/call', params: { name: 'optimize', arguments: { id: '7' } } }
