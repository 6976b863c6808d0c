import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { expect, onTestFinished, test } from 'vitest'
import { startSupervisor } from '../workers/start-supervisor.ts'
import { askingConfig, call, messagesOf, openSession, send } from './asking-service.ts'

test('an answer of a client of 2025 finds the worker that asked', async () => {
  const { config, upstream } = await askingConfig({ state_secrets: ['s'.repeat(32)] }, { workers: 2 })
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
  const { config } = await askingConfig({})
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
    const { config } = await askingConfig({ public_url, state_secrets_files })
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
  const { config } = await askingConfig({ state_secrets_files: [file] })
  await expect(startGateway(config)).rejects.toThrow(
    'mcp.state_secrets_files[0]: its content must have at least 32 characters',
  )
  const routes = config.routes.map((route) => ({ ...route, mcp: { ...route.mcp, input: file } }))
  await expect(startGateway({ mcp: {}, routes })).rejects.toThrow(
    'routes.optimize.mcp.input: its content is not a JSON Schema',
  )
})
