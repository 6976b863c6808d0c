import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { walkOutcomes } from './campaign-flow.ts'
import { clientKinds, connectByLines, type Json } from './official-clients.ts'
import { campaignStore, startToolGateway } from './tool-gateway.ts'

const store = campaignStore()

const agentic = join(repositoryRoot, 'packages/cli/bin/agentic.cjs')
const compileCache = join(repositoryRoot, '.agentic/compile-cache')

const environmentWith = (token: string) => ({
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: compileCache,
  AGENTIC_TOKEN: token,
})

describe.each(clientKinds)('%s', (kind) => {
  test('gets the outcomes of a gateway over the lines of "agentic mcp"', async () => {
    const { baseUrl, tokenOf } = await startToolGateway(store)
    const program = (token: string) => ({
      command: process.execPath,
      args: [agentic, 'mcp', '--url', kind === 'sdk 1.32.2' ? `${baseUrl}/mcp` : baseUrl],
      env: environmentWith(token),
      stderr: 'ignore',
    })
    await walkOutcomes({
      baseUrl,
      tokenOf,
      connect: (person) => connectByLines(kind, program(person.token ?? ''), person),
    })
  })
})

/** A running `agentic mcp` with lines in and out. */
interface Lines {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  send(message: Json): void
  /** The next message on stdout. */
  next(): Promise<Json>
  readonly stderr: () => string
  readonly ended: Promise<unknown[]>
}

function startLines(url: string, token: string): Lines {
  const child = spawn(process.execPath, [agentic, 'mcp', '--url', url], {
    env: environmentWith(token),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    send: (message) =>
      void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    async next() {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`stdout has ended:\n${stderr}`)
      return JSON.parse(value)
    },
    stderr: () => stderr,
    ended: once(child, 'close'),
  }
}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const request = (id: number | string, method: string, params: Json = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: { ..._meta, ...params._meta } },
})

test('bad lines and huge messages are errors, and the process serves on', async () => {
  const { baseUrl, tokenOf } = await startToolGateway(store)
  const token = await tokenOf('alice', 'campaign:optimize')
  const { child, send, next, stderr, ended } = startLines(`${baseUrl}/`, token)
  send('{"jsonrpc":')
  expect(await next()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32700, message: 'The line is not JSON' },
  })
  // More than the gateway takes, and more than a line may have.
  for (const [megabytes, data] of [
    [11, { status: 413, code: 'BODY_TOO_LARGE' }],
    [17, { code: 'LINE_TOO_LONG' }],
  ] as const) {
    send(
      request(`of ${megabytes}`, 'tools/call', { name: 'x', arguments: 'x'.repeat(megabytes * 1_048_576) }),
    )
    expect(await next()).toMatchObject({ id: `of ${megabytes}`, error: { data } })
  }
  send(request(3, 'tools/list'))
  expect(await next()).toMatchObject({ id: 3, result: { tools: expect.any(Array) } })
  // The request that was read before the end of stdin is answered.
  send(request(4, 'tools/list'))
  child.stdin.end()
  expect(await next()).toMatchObject({ id: 4, result: {} })
  expect(await ended).toEqual([0, null])
  expect(stderr()).not.toContain(token)
})

test('a refused token and a gateway that is away are told to the client, without the token', async () => {
  const { baseUrl, gateway, issuer } = await startToolGateway(store)
  const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme' }
  const token = await issuer.token({ claims })
  const { child, send, next, stderr, ended } = startLines(baseUrl, token)
  send(request(1, 'tools/list'))
  const refused = await next()
  expect(refused).toMatchObject({ id: 1, error: { data: { status: 401, code: 'AUDIENCE_MISMATCH' } } })
  await gateway.close()
  send(request(2, 'tools/list'))
  const away = await next()
  expect(away).toMatchObject({ id: 2, error: { data: { code: 'GATEWAY_UNREACHABLE' } } })
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(stderr()).toContain('agentic mcp: The gateway answered 401 AUDIENCE_MISMATCH')
  expect(stderr()).toContain('agentic mcp: The gateway cannot be reached (ECONNREFUSED)')
  expect(JSON.stringify([refused, away, stderr()])).not.toContain(token)
})

test('a cancellation and SIGTERM end a call that waits, each with an error', async () => {
  const { baseUrl, tokenOf, records } = await startToolGateway(store)
  const { child, send, next, ended } = startLines(baseUrl, await tokenOf('alice', 'campaign:optimize'))
  const capabilities = { elicitation: { form: {}, url: {} } }
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } }
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  await next()
  const call = { name: 'create-optimization', arguments: { campaignId: 'cmp-123' } }
  const isOpen = async () =>
    /^agentic_mcp_pending_elicitations (\d)/m.exec(await (await fetch(`${baseUrl}/metrics`)).text())?.[1]
  send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call })
  expect(await next()).toMatchObject({ method: 'elicitation/create' })
  expect(await isOpen()).toBe('1')
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  expect(await next()).toMatchObject({ id: 7, error: {} })
  expect(await isOpen()).toBe('0')
  send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  expect(await next()).toMatchObject({ method: 'elicitation/create' })
  child.kill('SIGTERM')
  expect(await next()).toMatchObject({ id: 1, error: { data: { code: 'BRIDGE_CLOSED' } } })
  expect(await ended).toEqual([0, null])
  expect(records().some(({ attributes }) => attributes?.mcp_tool === 'create-optimization')).toBe(true)
})
