import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Outcome, writeOutcome } from '@agentic-rest/profile'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from './harness/start-gateway.ts'
import { startUpstream } from './harness/start-upstream.ts'
import { startSupervisor } from './workers/start-supervisor.ts'

const question: Outcome = {
  type: 'clarification_required',
  message: 'More input is needed.',
  requiredInputs: [
    { name: 'goal', type: 'string', required: true, question: 'Which goal?', location: 'body' },
  ],
}

/** A service that asks for the goal, and tells it then. */
async function startAskingService() {
  return await startUpstream(({ headers, body }, response) => {
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

async function configOf(mcp: Record<string, unknown>, gateway: Record<string, unknown> = {}) {
  const { url: target, ...upstream } = await startAskingService()
  const tool = { input: 'none', description: 'Optimizes.' }
  const route = { id: 'optimize', method: 'POST', path: '/campaigns/{id}', target, mcp: tool }
  return { upstream, config: { gateway, mcp, routes: [route] } }
}

interface Sent {
  readonly body: object
  readonly headers?: Record<string, string>
}

/** Sends a message on a connection of its own: the connections go to the workers in turn. */
function send(url: string, { body, headers = {} }: Sent): Promise<IncomingMessage> {
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
async function* messagesOf(answer: IncomingMessage) {
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

async function openSession(url: string): Promise<Record<string, string>> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'old', version: '1' },
  }
  const opened = await send(url, { body: { id: 0, method: 'initialize', params } })
  opened.resume()
  return {
    'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
    'MCP-Protocol-Version': '2025-11-25',
  }
}

const call = { method: 'tools/call', params: { name: 'optimize', arguments: { id: '7' } } }

test('an answer of a client of 2025 finds the worker that asked', async () => {
  const { config, upstream } = await configOf({ state_secrets: ['s'.repeat(32)] }, { workers: 2 })
  const { url } = await startSupervisor(config)
  const headers = await openSession(url)
  for (let id = 1; id <= 4; id++) {
    const messages = messagesOf(await send(url, { body: { id, ...call }, headers }))
    const { value: asked } = await messages.next()
    expect(asked).toMatchObject({ method: 'elicitation/create' })
    // The next connection goes to the other worker.
    const result = { action: 'accept', content: { goal: `goal-${id}` } }
    expect((await send(url, { body: { id: asked.id, result }, headers })).statusCode).toBe(202)
    const { value: last } = await messages.next()
    expect(last).toMatchObject({ id, result: { structuredContent: { goal: `goal-${id}` } } })
  }
  expect(upstream.requests).toHaveLength(8)
})

test('an answer for the session of somebody else is dropped', async () => {
  const { config } = await configOf({})
  const { url } = await startGateway(config)
  const headers = await openSession(url)
  const messages = messagesOf(await send(url, { body: { id: 1, ...call }, headers }))
  const { value: asked } = await messages.next()
  const other = await openSession(url)
  const answerAs = async (session: Record<string, string>, goal: string) =>
    await send(url, {
      body: { id: asked.id, result: { action: 'accept', content: { goal } } },
      headers: session,
    })
  expect((await answerAs(other, 'stolen')).statusCode).toBe(202)
  expect((await answerAs(headers, 'own')).statusCode).toBe(202)
  const { value: last } = await messages.next()
  expect(last).toMatchObject({ result: { structuredContent: { goal: 'own' } } })
})

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

async function round(url: string, more: object = {}) {
  const params = { ...call.params, _meta: modern, ...more }
  const headers = {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'optimize',
  }
  const answer = await send(url, { body: { id: 1, ...call, params }, headers })
  let text = ''
  for await (const chunk of answer) text += chunk
  return JSON.parse(text)
}

const answered = { inputResponses: { inputs: { action: 'accept', content: { goal: 'ctr' } } } }

test('gateways with the same secrets continue the calls of each other, also while they are replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [old = '', next = ''] = ['old', 'next'].map((name) => {
    const file = join(folder, name)
    writeFileSync(file, `${name.repeat(20)}\n`)
    return file
  })
  const public_url = 'https://agents.example.test/mcp'
  const gatewayWith = async (state_secrets_files: string[]) => {
    const { config } = await configOf({ public_url, state_secrets_files })
    return (await startGateway(config)).url
  }
  const { result: first } = await round(await gatewayWith([old]))
  expect(first).toMatchObject({ resultType: 'input_required' })
  const continued = { ...answered, requestState: first.requestState }
  for (const files of [[old], [next, old]]) {
    const { result } = await round(await gatewayWith(files), continued)
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { goal: 'ctr' } })
  }
  const { error } = await round(await gatewayWith([next]), continued)
  expect(error).toEqual({ code: -32602, message: 'Invalid requestState' })
})

test('a file with a short secret, or a schema that is none, stops the start and names the key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'short')
  writeFileSync(file, 'short-but-secret\n')
  const { config } = await configOf({ state_secrets_files: [file] })
  await expect(startGateway(config)).rejects.toThrow(
    'mcp.state_secrets_files[0]: its content must have at least 32 characters',
  )
  const routes = config.routes.map((route) => ({ ...route, mcp: { ...route.mcp, input: file } }))
  await expect(startGateway({ mcp: {}, routes })).rejects.toThrow(
    'routes.optimize.mcp.input: its content is not a JSON Schema',
  )
})
