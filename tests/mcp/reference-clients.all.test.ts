import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'
import { testWith } from '@agentic-rest/testing/test-with'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Inspected, inspect } from './inspector.ts'
import { clientKinds, connectClient, type Json, load, type Person } from './official-clients.ts'
import { testPython } from './python-client.ts'
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
    connectClient(kind, tools.url, { ...person, token: tools.tokenOf(name) })
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
    const headers = { Authorization: `Bearer ${tools.tokenOf(name)}` }
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
  expect(mapValues(seen, typeOf)).toEqual(seenAlone)
  await tools.approve(seen.approval_required.approvalUrl)
  expect(typeOf(await call(callOf.approval_required))).toBe('created')
  await Promise.all(Object.values(clients).map((client: Json) => client.close()))
})

testPython('the official Python client gets all ten outcomes by type', async (mode, run) => {
  const tokens = { alice: tools.tokenOf('alice'), bob: tools.tokenOf('bob') }
  const calls = outcomeTypes.map((wanted) => {
    const { person, ...params } = callOf[wanted]
    return { wanted, ...params, token: tokens[person] }
  })
  const seen = await run({ url: tools.url, mode, calls, approver: tools.tokenOf('dave') })
  expect(mapValues<Json, Json>(seen.outcomes, ([type]) => type)).toEqual(seenWithPerson)
  expect(seen.outcomes).toMatchObject({ created: ['created', false], conflict: ['conflict', true] })
  expect(seen.tools.map((names: Json) => names.includes('create-optimization'))).toEqual([true, false])
  expect(seen.asked).toEqual(['form', 'url'])
})

testWith(
  'mcp-inspector',
  'the command line of the Inspector gets all ten outcomes by type',
  async (inspector) => {
    const home = temporaryFolder()
    const call = async (type: OutcomeType) => {
      const { name, arguments: given } = callOf[type === 'forbidden' ? 'success' : type]
      const pairs = Object.entries(given).map(([key, value]) => `${key}=${value}`)
      const tool = ['--method', 'tools/call', '--tool-name', name, '--tool-arg', ...pairs]
      // It never calls a tool that is not listed for its person. One without a role is refused to a foreign tenant.
      const tenant = type === 'forbidden' ? ['X-Tenant-ID: globex'] : []
      const headers = [`Authorization: Bearer ${tools.tokenOf('alice')}`, ...tenant]
      return inspect(inspector, home, [tools.url, '--transport', 'http', '--header', ...headers, ...tool])
    }
    // Side by side, because each call is a process that takes a second to start.
    const seen = Object.fromEntries(
      await Promise.all(outcomeTypes.map(async (type) => [type, await call(type)] as const)),
    )
    const typeOf = ({ result, errors }: Inspected) =>
      result?._meta['org.agentic-rest/outcome'].type ?? `no result: ${errors}`
    expect(mapValues(seen, typeOf)).toEqual(seenAlone)
    // It tells a script by its exit code that a tool has refused.
    expect(mapValues(seen, ({ code, result }) => code === (result.isError ? TOOL_ERROR : 0))).toEqual(
      mapValues(seenAlone, () => true),
    )
    await tools.approve(seen['approval_required']?.result.structuredContent.approvalUrl)
    expect(typeOf(await call('approval_required'))).toBe('created')
  },
)

const TOOL_ERROR = 5

function mapValues<T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
