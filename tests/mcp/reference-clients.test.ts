import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientKinds, connectClient, type Json, load, type Person } from './official-clients.ts'
import {
  callOf,
  type ReferenceTools,
  seenAlone,
  seenWithPerson,
  startReferenceTools,
  type ToolCall,
} from './reference-tools.ts'

// One stack for all clients of this file.
let tools: ReferenceTools
beforeAll(async () => {
  tools = await startReferenceTools()
})
afterAll(() => tools.close())

/** Makes the call of each outcome, one after the other. */
async function walk<T>(call: (call: ToolCall) => Promise<T>): Promise<Record<OutcomeType, T>> {
  const seen: Partial<Record<OutcomeType, T>> = {}
  for (const type of outcomeTypes) seen[type] = await call(callOf[type])
  return seen as Record<OutcomeType, T>
}

test.each(clientKinds)('the TypeScript client (%s) gets all ten outcomes by type', async (kind) => {
  const person: Person = {
    asked: [],
    async answer({ mode, url }) {
      if (mode !== 'url') return { action: 'accept', content: { goal: 'ctr' } }
      await tools.approve(url)
      return { action: 'accept' }
    },
  }
  const connect = async (name: string) =>
    connectClient(kind, tools.url, { ...person, token: await tools.tokenOf(name) })
  const clients = { alice: await connect('alice'), bob: await connect('bob') }
  const seen = await walk(async ({ person: name, ...params }) => {
    const result = await clients[name].callTool(params)
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    return result._meta['org.agentic-rest/outcome'].type
  })
  await Promise.all(Object.values(clients).map((client) => client.close()))
  expect(seen).toEqual(seenWithPerson)
  expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
})

test('OpenAI Agents gets all ten outcomes by type, and an approved call by calling again', async () => {
  const { MCPServerStreamableHttp: Server } = await load('@openai/agents-core')
  const connect = async (name: string) => {
    const headers = { Authorization: `Bearer ${await tools.tokenOf(name)}` }
    const client = new Server({ url: tools.url, name, requestInit: { headers } })
    await client.connect()
    return client
  }
  const clients: Json = { alice: await connect('alice'), bob: await connect('bob') }
  const names = async (client: Json) => (await client.listTools()).map(({ name }: Json) => name)
  expect(await names(clients.alice)).toContain('create-optimization')
  expect(await names(clients.bob)).not.toContain('create-optimization')
  const call = async ({ person, name, arguments: given }: ToolCall): Promise<Json> => {
    const [{ text }] = await clients[person].callTool(name, given)
    return JSON.parse(text)
  }
  // It hands its program nothing but the text, so successes are told by their bodies.
  const typeOf = ({ type, id }: Json) => type ?? (String(id).startsWith('opt-') ? 'created' : 'success')
  const seen = await walk(call)
  expect(Object.fromEntries(Object.entries(seen).map(([type, body]) => [type, typeOf(body)]))).toEqual(
    seenAlone,
  )
  await tools.approve(seen.approval_required.approvalUrl)
  expect(typeOf(await call(callOf.approval_required))).toBe('created')
  await Promise.all(Object.values(clients).map((client: Json) => client.close()))
})
