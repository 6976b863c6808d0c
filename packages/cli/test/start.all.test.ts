import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, type Running, runAgentic, spawnAgentic } from './harness/run-agentic.ts'

interface Started extends Running {
  readonly url: string
  readonly port: number
}

async function start(text: string, args: readonly string[] = []): Promise<Started> {
  const cwd = folderWith({ 'gateway.yaml': text })
  const running = spawnAgentic(['start', '-c', 'gateway.yaml', ...args], { cwd })
  const { port } = await running.logged('the gateway is listening')
  return { ...running, port: Number(port), url: `http://127.0.0.1:${port}` }
}

function run(text: string, env: Record<string, string> = {}) {
  return runAgentic(['start', '-c', 'gateway.yaml'], { cwd: folderWith({ 'gateway.yaml': text }), env })
}

const itemService = () =>
  startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"item":1}')
  })

test('it logs where it listens, with the real port for port 0, and forwards requests', async () => {
  const { url: target } = await itemService()
  const { url, port, log, child, ended } = await start(configuration({ target }))
  expect(port).toBeGreaterThan(0)
  const response = await fetch(`${url}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ item: 1 })
  expect(log.filter(({ level }) => level !== 'warn')).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      msg: 'the gateway is listening',
      host: '127.0.0.1',
      port,
      scheme: 'http',
      routes: 1,
      file: 'gateway.yaml',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    },
  ])
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('stdout carries one audit line per request and nothing else', async () => {
  const { url: target } = await itemService()
  const { url, audited, child, ended } = await start(configuration({ target }))
  const headers = { 'X-Tenant-ID': 'acme', 'X-Correlation-ID': 'corr-1', 'X-Request-ID': 'req-1' }
  await (await fetch(`${url}/items/7`, { headers })).text()
  await audited(1)
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  expect(code).toBe(0)
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    {
      level: 'INFO',
      msg: 'agentic.request',
      event_type: 'agentic.request.received',
      tenant_id: 'acme',
      correlation_id: 'corr-1',
      request_id: 'req-1',
      operation: 'read-item',
      resource_id: '7',
      outcome: 'success',
    },
  ])
})

test('a reader of stdout that goes away does not end it', async () => {
  const { url: target } = await itemService()
  const { url, child, ended } = await start(configuration({ target }))
  child.stdout.destroy()
  for (let count = 0; count < 3; count += 1) {
    const response = await fetch(`${url}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
    expect(await response.json()).toEqual({ item: 1 })
  }
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('a reader of stderr that goes away does not end it', async () => {
  const { url: target } = await itemService()
  const { url, child, ended } = await start(configuration({ target }), ['--log-level', 'debug'])
  child.stderr.destroy()
  child.kill('SIGHUP')
  const response = await fetch(`${url}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
  expect(await response.json()).toEqual({ item: 1 })
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('an invalid file ends it with 2 and every fault', async () => {
  expect(
    await run(
      'gateway: { prot: 1 }\nplugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }\n',
    ),
  ).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      'gateway.yaml:1:1: routes: is required\ngateway.yaml:1:12: gateway.prot: unknown key "prot", did you mean "port"?\n',
  })
})

test('a file that is not there ends it with 2', async () => {
  expect(await runAgentic(['start', '-c', 'nowhere.yaml'])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'nowhere.yaml:1:1: there is no such file\n',
  })
})

test('otlp without an endpoint ends it with 1, and with 2 when the file has other faults', async () => {
  const plugins = { 'otel-audit': { exporter: 'otlp', otlp_endpoint: '' } }
  const { code, stdout, stderr } = await run(configuration({ plugins }))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^gateway\.yaml:1:\d+: plugins\.otel-audit\.otlp_endpoint: [^\n]+\n$/)
  expect((await run(configuration({ plugins, gateway: { prot: 1 } }))).code).toBe(2)
})

test('a port that is taken ends it with 1 and is named', async () => {
  const { port } = await itemService()
  const { code, stdout, stderr } = await run(configuration({ gateway: { port } }))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toEqual({
    time: expect.any(String),
    level: 'error',
    msg: 'the gateway did not start',
    reason: `port ${port} on 127.0.0.1 is taken: choose another with gateway.port`,
  })
})

test('a plugin that cannot act ends it with 1', async () => {
  const issuers = [{ issuer: 'https://id.example.test', audience: ['agentic'], jwks_file: 'nowhere.json' }]
  const plugins = { 'token-validator': { issuers }, 'tenant-injector': { allowed: ['acme'] } }
  const { code, stderr } = await run(configuration({ plugins }))
  expect(code).toBe(1)
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      time: expect.any(String),
      level: 'error',
      msg: 'the gateway did not start',
      reason: 'issuer https://id.example.test: jwks_file cannot be read',
    },
  ])
})

test('what is valid but unwise is warned about, once', async () => {
  const { log } = await start(configuration())
  expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
    'plugins.token-validator.mode: is off, every request is accepted without a token',
    'plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook',
  ])
})

test('the console listens where gateway.admin says, and lets nobody in without a token', async () => {
  const { logged } = await start(configuration({ gateway: { admin: { port: 0, role: 'operator' } } }))
  const { host, port } = await logged('the console is listening')
  expect(host).toBe('127.0.0.1')
  const response = await fetch(`http://127.0.0.1:${port}/api/gateway`)
  expect([response.status, await response.json()]).toEqual([
    403,
    { code: 'FORBIDDEN', message: 'The token does not have the role that is needed here.' },
  ])
})

test('--log-level warn leaves out what is below, and a signal during the start ends it in order', async () => {
  const cwd = folderWith({ 'gateway.yaml': configuration() })
  const gateway = spawnAgentic(['start', '-c', 'gateway.yaml', '--log-level', 'warn'], { cwd })
  await gateway.logged('token-validator')
  gateway.child.kill('SIGTERM')
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stdout: '' })
  expect(new Set(gateway.log.map(({ level }) => level))).toEqual(new Set(['warn']))
})

test('secrets of the file and the environment are in no line', async () => {
  const secret = 'a-secret-of-at-least-thirty-two-characters'
  const issuers = [
    { issuer: 'tests', algorithms: ['HS256'], hs256_secret: `${secret}-plain` },
    { issuer: 'others', algorithms: ['HS256'], hs256_secret: '${SECRET}' },
  ]
  const webhook = { url: 'http://127.0.0.1:9/{principal}', headers: { authorization: 'Bearer ${SECRET}' } }
  const text = configuration({
    plugins: { 'token-validator': { issuers }, 'tenant-injector': { webhook } },
  })
  const cwd = folderWith({ 'gateway.yaml': text })
  const args = ['start', '-c', 'gateway.yaml', '--log-level', 'debug']
  const { logged, child, ended } = spawnAgentic(args, { cwd, env: { SECRET: `${secret}-env` } })
  const { port } = await logged('the gateway is listening')
  const headers = { authorization: 'Bearer not.a.token' }
  expect((await fetch(`http://127.0.0.1:${port}/items/1`, { headers })).status).toBe(401)
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(`${stdout}${stderr}`).not.toContain(secret)
})

test('an error that nobody handles is logged and ends it with 1', async () => {
  const cwd = folderWith({
    'gateway.yaml': configuration(),
    'fault.cjs': `process.on('SIGUSR2', () => { throw new Error('a fault of the test') })`,
    'rejection.cjs': `process.on('SIGUSR2', () => { void Promise.reject(new Error('a fault of the test')) })`,
  })
  for (const fault of ['fault', 'rejection']) {
    const { child, logged, ended } = spawnAgentic(['start', '-c', 'gateway.yaml'], {
      cwd,
      env: { NODE_OPTIONS: `--require=${cwd}/${fault}.cjs --unhandled-rejections=warn` },
    })
    await logged('the gateway is listening')
    child.kill('SIGUSR2')
    expect(await logged('an unhandled error')).toMatchObject({
      level: 'error',
      error: expect.stringContaining('a fault of the test'),
    })
    expect((await ended).code).toBe(1)
  }
})

test('npx finds it in this repository, starts the example of the documents, and leaves it time to drain', async () => {
  const child = spawn('npx', ['agentic', 'start', '-c', 'docs/examples/minimal-gateway.yaml'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('npx did not start')
  // npx and the gateway share a group, as they do in a terminal, where Ctrl-C reaches both.
  const killGroup = (signal: NodeJS.Signals) => process.kill(-pid, signal)
  const closed = once(child, 'close')
  const messages: unknown[] = []
  for await (const line of createInterface(child.stderr)) {
    if (!line.startsWith('{')) continue
    const { level, msg, port } = JSON.parse(line)
    if (level === 'info') messages.push(msg)
    if (port !== undefined) killGroup('SIGINT')
  }
  await closed
  expect(messages).toEqual(['the gateway is listening', 'SIGINT received', 'draining', 'drained'])
})
