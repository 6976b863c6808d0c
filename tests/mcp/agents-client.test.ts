import { outcomeTypes } from '@agentic-rest/profile'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type McpServer, startMcpServer } from './http-server.ts'
import { type Json, load } from './official-clients.ts'
import { createOutcomeService } from './outcome-service.ts'

let server: McpServer

beforeEach(async () => {
  const service = createOutcomeService()
  server = await startMcpServer({ host: (parts) => service.host(parts) })
})

afterEach(() => server.stop())

/** Connects the client of OpenAI Agents. It asks nobody, and hands its program the content of a result only. */
async function connectAgents(): Promise<Json> {
  const { MCPServerStreamableHttp: Server } = await load('@openai/agents-core')
  const client = new Server({ url: server.url, name: 'outcomes' })
  await client.connect()
  return client
}

test('OpenAI Agents reads the type of every outcome from the text', async () => {
  const client = await connectAgents()
  expect((await client.listTools()).map(({ name }: Json) => name)).toEqual(['outcome', 'get-operation'])
  const seen: Json = {}
  for (const kind of outcomeTypes) {
    const [{ text }] = await client.callTool('outcome', { kind })
    const body = JSON.parse(text)
    seen[kind] = body.type ?? Object.keys(body).filter((key) => key !== 'trace')
  }
  await client.close()
  expect(seen).toEqual({
    success: ['done'],
    created: ['id'],
    accepted: ['done'],
    clarification_required: 'clarification_required',
    validation_failed: 'validation_failed',
    approval_required: 'approval_required',
    forbidden: 'forbidden',
    conflict: 'conflict',
    failed_dependency: 'failed_dependency',
    error: 'error',
  })
  expect(server.errors).toEqual([])
})
