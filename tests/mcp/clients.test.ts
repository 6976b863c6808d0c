import { outcomeTypes } from '@agentic-rest/profile'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type McpServer, startMcpServer } from './http-server.ts'
import {
  type ClientKind,
  clientKinds,
  connectClient,
  type Json,
  type OfficialClient,
  type Person,
} from './official-clients.ts'
import { createOutcomeService, type OutcomeService, seenByWillingClients } from './outcome-service.ts'

let server: McpServer
let service: OutcomeService
let client: OfficialClient | undefined

beforeEach(async () => {
  service = createOutcomeService()
  server = await startMcpServer({ host: (parts) => service.host(parts) })
})

afterEach(async () => {
  await client?.close()
  await server.stop()
  expect(server.errors).toEqual([])
})

const versions: Readonly<Record<ClientKind, string>> = {
  'client 2.4.0, auto': '2026-07-28',
  'client 2.4.0, legacy': '2025-11-25',
  'sdk 1.32.2': '2025-11-25',
}

const willing = (): Person => ({
  asked: [],
  answer: ({ mode }: Json) =>
    mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { goal: 'ctr' } },
})

const outcomeOf = (result: Json) => result._meta['org.agentic-rest/outcome']
const call = (kind: string) => client?.callTool({ name: 'outcome', arguments: { kind } })

test.each(clientKinds)('%s gets all ten outcomes from two processes that take turns', async (kind) => {
  await server.stop()
  server = await startMcpServer({ host: (parts) => service.host(parts), instances: 2 })
  const person = willing()
  client = await connectClient(kind, server.url, person)
  const seen: Json = {}
  for (const type of outcomeTypes) {
    const result = await call(type)
    seen[type] = [outcomeOf(result).type, result.isError === true]
  }
  expect(seen).toEqual(seenByWillingClients)
  expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
})

describe.each(clientKinds)('%s', (kind) => {
  test('connects, negotiates its version and lists the tool', async () => {
    client = await connectClient(kind, server.url)
    expect(client.version).toBe(versions[kind])
    const { tools } = await client.listTools()
    expect(tools.map(({ name }: Json) => name)).toEqual(['outcome', 'get-operation'])
  })

  test('gets all ten outcomes by their type', async () => {
    const person = willing()
    client = await connectClient(kind, server.url, person)
    const seen: Json = {}
    for (const type of outcomeTypes) {
      const result = await call(type)
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
      seen[type] = [outcomeOf(result).type, result.isError === true]
    }
    expect(seen).toEqual(seenByWillingClients)
    expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
    expect(JSON.stringify(person.asked)).not.toContain(service.token)
  })

  test('gets a question as a typed error when it cannot ask', async () => {
    client = await connectClient(kind, server.url)
    const question = await call('clarification_required')
    expect(question).toMatchObject({
      isError: true,
      structuredContent: { requiredInputs: [{ name: 'goal' }] },
    })
    const approval = await call('approval_required')
    expect(approval).toMatchObject({
      isError: true,
      structuredContent: { approvalUrl: expect.stringContaining('/approvals/') },
    })
    expect(JSON.stringify(approval)).not.toContain(service.token)
  })

  test('learns that a person declined', async () => {
    client = await connectClient(kind, server.url, { asked: [], answer: () => ({ action: 'decline' }) })
    for (const type of ['clarification_required', 'approval_required']) {
      const result = await call(type)
      expect(result.isError).toBe(true)
      expect(outcomeOf(result)).toMatchObject({ type, answered: 'declined' })
    }
  })

  test('has one key for all rounds of a call', async () => {
    client = await connectClient(kind, server.url, willing())
    await call('clarification_required')
    const keys = service.sent.map(({ headers }) => headers['Idempotency-Key'])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })
})
