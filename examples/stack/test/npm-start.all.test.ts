import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import {
  newFolder,
  npmRun,
  npmStartFails,
  npxAgentic,
  type RunningStack,
  startStack,
} from '@agentic-rest/testing/start-stack'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PartName, portOf, requestToken } from '../src/index.ts'
import { findEntry } from '../src/part-entry.ts'
import { parts } from '../src/parts.ts'
import { type AcceptedOperations, acceptOperations } from './harness/accepted-operations.ts'
import { type BusyCaller, startBusyCaller } from './harness/busy-caller.ts'

// One stack for the whole file: the tests go through its life, from the first start to the end after a restart.
const folder = newFolder()
let stack: RunningStack
let token: string

// The documents say 20 and 5 seconds of a quiet machine. Time in which other programs used the cores does not count.

beforeAll(async () => {
  stack = await startStack({ portBase: await freePortBase(), data: folder.path })
})

afterAll(async () => {
  stack.npm.kill('SIGTERM')
  await stack.ended
  folder.remove()
})

// Parts come to be while the stack grows: what has an entry has to run.
const names = parts.filter((row) => findEntry(row) !== undefined).map(({ name }) => name)
const urlOf = (name: PartName) => `http://127.0.0.1:${portOf(name, stack.portBase)}`

async function newToken(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await npxAgentic('token', '--port-base', String(stack.portBase), ...args)
  expect({ code, stderr: stderr.replace(/^npm warn .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
  return stdout.trim()
}

function complete(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stack.url}/llm/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
}

function records(part: string): Record<string, unknown>[] {
  const text = readFileSync(join(stack.data, 'audit', `${part}.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('it lists each part with its address, and each is healthy', async () => {
  expect(names).toEqual(parts.map(({ name }) => name))
  const listed = [...stack.printed().matchAll(/^ {2}(\S+) +(http:\S+) +process \d+ +\w/gm)]
  expect(listed.map(([, name, url]) => [name, url])).toEqual(names.map((name) => [name, urlOf(name)]))
  for (const name of names) expect((await fetch(`${urlOf(name)}/healthz`)).status).toBe(200)
})

test('the token it prints is accepted', async () => {
  token = /^ {2}(eyJ\S+)$/m.exec(stack.printed())?.[1] ?? ''
  const response = await complete({ prompt: 'Hello', max_tokens: 2 })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ choices: [{ text: ' Each device' }] })
})

test('the token it prints is good for the MCP endpoint, where the campaigns are tools', async () => {
  const url = /^ {2}(http:\S+\/mcp)$/m.exec(stack.printed())?.[1] ?? ''
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const names = async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': version,
        'Mcp-Method': 'tools/list',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }),
    })
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }
  await expect.poll(names).toContain('create-optimization')
})

/** The key ids of both gateways. */
function keyIds(): Promise<(string | undefined)[]> {
  return Promise.all(
    (['gateway', 'inventory-gateway'] as const).map(async (name) => {
      const answer = await fetch(`${urlOf(name)}/.well-known/agentic-jwks.json`)
      return ((await answer.json()) as { keys: { kid: string }[] }).keys[0]?.kid
    }),
  )
}

test('each gateway has a key of its own, which only its owner can read', async () => {
  const files = ['gateway', 'inventory-gateway'].map((name) => join(stack.data, name, 'identity-key.pem'))
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  const [first, second] = await keyIds()
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(second).not.toBe(first)
})

test.each([
  ['campaigns', 'GET', '/campaigns/cmp-123'],
  ['recommendations', 'POST', '/products/prd-124/recommendations'],
  ['inventory', 'GET', '/inventory/prd-124/stock'],
  ['llm', 'POST', '/llm/completions'],
  ['probe', 'GET', '/probe/traceless'],
] as const)(
  '%s believes its gateway only: plain headers of anybody else are 403',
  async (name, method, path) => {
    const claimed = {
      'content-type': 'application/json',
      'x-tenant-id': 'acme',
      'x-actor-principal': 'alice',
      'x-actor-subject': 'alice',
      'x-actor-issuer': urlOf('identity'),
      'x-actor-roles': 'campaign:optimize',
    }
    const send = (headers: Record<string, string>) =>
      fetch(`${urlOf(name)}${path}`, { method, headers, ...(method === 'POST' && { body: '{}' }) })
    const direct = await send(claimed)
    expect([direct.status, await direct.json()]).toMatchObject([403, { code: 'IDENTITY_REQUIRED' }])
    const forged = await send({ ...claimed, 'x-agentic-identity': token })
    expect([forged.status, await forged.json()]).toMatchObject([403, { code: 'IDENTITY_INVALID' }])
  },
)

test('the probe is for callers with its role only', async () => {
  const ask = async (bearer: string) =>
    await fetch(`${stack.url}/probe/echo`, {
      headers: { authorization: `Bearer ${bearer}`, 'x-actor-subject': 'mallory' },
    })
  const refused = await ask(token)
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'INSUFFICIENT_ROLES' }])
  const prober = { sub: 'prober', tenant: 'acme', roles: 'conformance:probe' }
  const shown = await ask(await requestToken({ portBase: stack.portBase, ...prober }))
  const { headers } = (await shown.json()) as { headers: Record<string, string> }
  expect(headers).toMatchObject({ 'x-actor-subject': 'prober', 'x-tenant-id': 'acme' })
  expect(headers['authorization']).toBeUndefined()
  // The identity is for the probe. Another part refuses it, also when the request names the probe as its host.
  const replayed = await send(urlOf('campaigns'), {
    host: new URL(urlOf('probe')).host,
    'x-agentic-identity': headers['x-agentic-identity'],
  })
  expect(replayed).toMatchObject([403, { code: 'IDENTITY_INVALID' }])
})

/** Asks for a campaign with headers that `fetch` does not send. */
async function send(url: string, headers: Readonly<Record<string, string | undefined>>) {
  const sent = request(`${url}/campaigns/cmp-123`, { headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return [response.statusCode, JSON.parse(await text(response))]
}

test('npx agentic token gives tokens of demo users and of anybody else', async () => {
  const claims = async (...args: string[]) =>
    JSON.parse(atob((await newToken(...args)).split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
  expect(await claims()).toMatchObject({ sub: 'alice', tenant_id: 'acme', roles: ['campaign:optimize'] })
  expect(await claims('--sub', 'carol')).toMatchObject({ sub: 'carol', tenant_id: 'globex' })
  expect(await claims('--sub', 'zoe', '--tenant', 'acme', '--roles', 'a,b')).toMatchObject({
    sub: 'zoe',
    tenant_id: 'acme',
    roles: ['a', 'b'],
  })
})

test('the openai package works unchanged: JSON, a stream, and a stream that the gateway counts as one', async () => {
  const options = { baseURL: `${stack.url}/llm`, apiKey: token }
  const question = { model: 'any', prompt: 'Hello', max_tokens: 6 }
  const whole = await new OpenAI(options).completions.create(question)
  expect(whole.choices[0]?.text).toBe(' Each device holds what was asked.')
  for (const defaultHeaders of [{}, { Accept: 'text/event-stream' }]) {
    const client = new OpenAI({ ...options, defaultHeaders })
    const words: string[] = []
    for await (const { choices } of await client.completions.create({ ...question, stream: true })) {
      words.push(choices[0]?.text ?? '')
    }
    expect(words).toEqual([' Each', ' device', ' holds', ' what', ' was', ' asked.'])
  }
})

test('a stream through the gateway has the headers of the profile and comes frame by frame', async () => {
  const response = await complete({ prompt: 'Hello', max_tokens: 4096 }, { accept: 'text/event-stream' })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'x-agentic-profile': 'v0.3',
    'cache-control': 'no-cache',
  })
  const reader = response.body?.getReader()
  // 4096 frames of 20 ms take 82 s: what comes now was not waited for.
  expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^data: \{/)
  await reader?.cancel()
})

test('a request leaves a line on the terminal and a record of each part, joined by the correlation id', async () => {
  const correlation = `correlation-${stack.portBase}`
  await (await complete({ prompt: 'Hello' }, { 'x-correlation-id': correlation })).text()
  await stack.printing(/^\d\d:\d\d:\d\d gateway +llm-completions +alice@acme +success$/m)
  const joined = () =>
    ['gateway', 'llm'].map((part) =>
      records(part).filter((record) => record['correlation_id'] === correlation),
    )
  // A record is written beside the answer, and may be in its file a moment later.
  await expect
    .poll(joined)
    .toMatchObject([
      [{ event_type: 'agentic.request.received', operation: 'llm-completions', tenant_id: 'acme' }],
      [{ event_type: 'agentic.response.written', operation: 'llm-completions', tenant_id: 'acme' }],
    ])
  expect(records('identity')).toContainEqual(
    expect.objectContaining({ event_type: 'identity.token.issued', actor_id: 'alice' }),
  )
})

/** Asks as alice for something that needs an approval, has it approved, and leaves it at that. */
async function approveAndLeave(path: string, body: object): Promise<() => Promise<unknown>> {
  const send = (url: string, bearer: string, init: RequestInit = {}) =>
    fetch(url, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    })
  const asked = await send(`${stack.url}${path}`, token, { method: 'POST', body: JSON.stringify(body) })
  expect(asked.status).toBe(412)
  const approval = new URL(asked.headers.get('location') ?? '', stack.url).href
  const dave = await requestToken({ portBase: stack.portBase, sub: 'dave' })
  expect((await send(`${approval}/approve`, dave, { method: 'POST' })).status).toBe(200)
  return async () => ((await (await send(approval, dave)).json()) as { state?: string }).state
}

test('the tour finds everything as it has to be, whatever was tried before, and is plain in a pipe', async () => {
  const left = [
    await approveAndLeave('/campaigns/cmp-enterprise/optimizations', { goal: 'ctr' }),
    await approveAndLeave('/products/prd-export/recommendations', {}),
  ]
  const [command = ''] = /npm run tour .*$/m.exec(stack.printed()) ?? []
  expect(command).toBe(`npm run tour -- --port-base ${stack.portBase}`)
  const { code, stdout } = await npmRun('tour', command.split(' ').slice(4))
  expect(stdout).toMatch(/\nstops: \d+, wrong: 0\n$/)
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toMatch(/ inventory-gateway +agentic\.request\.received +read-stock +recommendations@acme /)
  expect(code).toBe(0)
  // What somebody else had approved is still there to be used.
  expect(await Promise.all(left.map((state) => state()))).toEqual(['approved', 'approved'])
})

test('dave cannot approve what he asked for through an agent, and is not locked out by trying', async () => {
  const dave = await requestToken({ portBase: stack.portBase, sub: 'dave' })
  const headers = { authorization: `Bearer ${dave}`, 'content-type': 'application/json' }
  const ask = () =>
    fetch(`${stack.url}/products/prd-export/recommendations`, { method: 'POST', body: '{}', headers })
  const location = (await ask()).headers.get('location') ?? ''
  const approve = (bearer: string) =>
    fetch(`${location}/approve`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } })
  const refused = await approve(dave)
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'APPROVAL_OWN_REQUEST' }])
  const erin = { sub: 'erin', tenant: 'acme', roles: 'campaign:approve' }
  const other = await requestToken({ portBase: stack.portBase, ...erin })
  const decided = await approve(other)
  expect([decided.status, await decided.json()]).toMatchObject([200, { requestedFor: 'dave' }])
})

test('a second stack on the same ports, or in the same folder, is told what to type', async () => {
  const taken = await npmStartFails({ portBase: stack.portBase, data: stack.data })
  expect(taken).toMatch(/^Choose other ports, for example with npm start -- --port-base \d+\.$/m)
  const inUse = await npmStartFails({ portBase: await freePortBase(), data: stack.data })
  expect(inUse.replace(/^npm warn .*\n/gm, '')).toBe(
    `${stack.data} is in use by another stack\nStart it with npm start -- --data OTHER or npm start -- --memory.\n`,
  )
})

test('what two gateways and two agents recorded of one request is joined by its correlation id', async () => {
  const correlation = `graph-${stack.portBase}`
  const body = JSON.stringify({ shipFrom: 'wh-berlin' })
  const answer = await fetch(`${stack.url}/products/prd-multi/recommendations`, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-correlation-id': correlation,
    },
  })
  expect([answer.status, await answer.json()]).toMatchObject([201, { shipFrom: 'wh-berlin' }])
  const hops = ['gateway', 'recommendations', 'inventory-gateway', 'inventory']
  const joined = () =>
    hops.map((part) => records(part).filter((each) => each['correlation_id'] === correlation))
  const shared = { tenant_id: 'acme', resource_id: 'prd-multi' }
  await expect
    .poll(joined)
    .toMatchObject([
      [{ ...shared, operation: 'create-recommendations', actor_id: 'alice', outcome: 'success' }],
      [{ ...shared, operation: 'create-recommendations', actor_id: 'alice', outcome: 'created' }],
      [{ ...shared, operation: 'read-stock', actor_id: 'recommendations', outcome: 'success' }],
      [{ ...shared, operation: 'read-stock', actor_id: 'recommendations', outcome: 'success' }],
    ])
  // Each hop is a request of its own: A and its gateway share one id, B and its gateway another.
  const requests = joined().map(([record]) => record?.['request_id'])
  expect([requests[0] === requests[1], requests[2] === requests[3], requests[0] === requests[2]]).toEqual([
    true,
    true,
    false,
  ])
})

let caller: BusyCaller
let operations: AcceptedOperations

describe('kill -9 of a part', () => {
  beforeAll(async () => {
    caller = await startBusyCaller(stack.portBase)
    operations = await acceptOperations(stack.portBase)
  })

  test.each(names)('%s is back, and tokens are as good as before', async (name) => {
    const [, pid] = new RegExp(`^  ${name} .* process (\\d+)`, 'm').exec(stack.printed()) ?? []
    process.kill(Number(pid), 'SIGKILL')
    await stack.printing(new RegExp(`${name} +ended by SIGKILL; it is started again`))
    await stack.printing(new RegExp(`${name} +runs again as process \\d+\n`))
    expect((await fetch(`${urlOf(name)}/healthz`)).status).toBe(200)
    expect((await complete({ prompt: 'Hello' })).status).toBe(200)
  })

  test('loses nothing that was acknowledged, and nothing was done twice', async () => {
    await caller.stop()
    expect(caller.acknowledged.length).toBeGreaterThan(names.length)
    await caller.expectNothingLost()
    await operations.expectCompleted()
  })
})

test('a stack that is killed leaves no part behind, and the next start keeps keys, records and data', async () => {
  const { portBase, data } = stack
  const keys = await keyIds()
  const dev = Number((await stack.printing(/Agentic REST runs as process (\d+)/))[1])
  process.kill(dev, 'SIGKILL')
  await stack.ended
  await expect.poll(areUp).toEqual(names.map(() => false))
  const before = records('gateway').length
  stack = await startStack({ portBase, data })
  expect(await keyIds()).toEqual(keys)
  expect((await complete({ prompt: 'Hello' })).status).toBe(200)
  await expect.poll(() => records('gateway').length).toBe(before + 1)
  await caller.expectNothingLost()
})

test('SIGTERM to npm ends everything with 0', async () => {
  stack.npm.kill('SIGTERM')
  expect((await stack.ended).code).toBe(0)
  expect(await areUp()).toEqual(names.map(() => false))
})

function areUp(): Promise<boolean[]> {
  return Promise.all(
    names.map((name) =>
      fetch(`${urlOf(name)}/healthz`).then(
        () => true,
        () => false,
      ),
    ),
  )
}
