import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createService, defineOperation, StoreUnavailableError, success } from '../../src/index.ts'
import { auditFromEnvironment, serve, storeFromEnvironment, trustFromEnvironment } from '../../src/node.ts'

const greet = defineOperation({
  id: 'greet',
  method: 'GET',
  path: '/greetings/{name}',
  run: ({ params }) => success({ hello: params.name }),
})

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('a service and its health are served on this machine, until it is stopped', async () => {
  const service = createService({ operations: [greet], defaultTenant: 'acme' })
  const { port, stop } = await serve({ fetch: service.fetch, port: '0', closes: [service] })
  const listeners = process.listenerCount('SIGTERM')
  const health = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect([health.status, await health.text()]).toEqual([200, 'ok\n'])
  expect((await fetch(`http://127.0.0.1:${port}/healthz`, { method: 'POST' })).status).toBe(404)
  const answer = await fetch(`http://127.0.0.1:${port}/greetings/ada`)
  expect([answer.status, await answer.json()]).toMatchObject([200, { hello: 'ada' }])
  await Promise.all([stop(), stop()])
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
  expect(process.listenerCount('SIGTERM')).toBe(listeners - 1)
})

it('what it closes is closed in order, and one that fails keeps no other from it', async () => {
  const closed: string[] = []
  const closable = (name: string, fault?: string) => ({
    async close() {
      closed.push(name)
      if (fault !== undefined) throw new Error(fault)
    },
  })
  const closes = [closable('service'), closable('store', 'it is gone'), closable('audit')]
  const { stop } = await serve({ fetch: () => new Response(), port: 0, closes })
  await expect(stop()).rejects.toMatchObject({ errors: [new Error('it is gone')] })
  expect(closed).toEqual(['service', 'store', 'audit'])
})

it('a port that is taken is refused, and what was given is closed', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const close = vi.fn(async () => undefined)
  const listeners = process.listenerCount('uncaughtException')
  await expect(serve({ fetch: () => new Response(), port, closes: [{ close }] })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: `port ${port} on 127.0.0.1 is taken: end the other program, or choose another port`,
  })
  expect(close).toHaveBeenCalledTimes(1)
  await new Promise(setImmediate)
  expect(process.listenerCount('uncaughtException')).toBe(listeners)
})

it('a program at a port that is taken ends with one line', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { stderr, ended } = start({ PORT: String(port) })
  expect(await ended).toEqual([1, null])
  expect(await stderr).toBe(
    `port ${port} on 127.0.0.1 is taken: end the other program, or choose another port\n`,
  )
})

it.each(['', 'http', '-1', '65536', '1.5'])('%j is no port', async (port) => {
  await expect(serve({ fetch: () => new Response(), port })).rejects.toThrow(
    `the port is a whole number from 0 to 65535, not ${JSON.stringify(port)}`,
  )
})

it('a store is on the server that is named, or in the folder', async () => {
  const env = { DATA_FOLDER: folderOfTest(), DATABASE_URL: '' }
  const kept = storeFromEnvironment(env)
  expect(await kept.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  await kept.close()
  expect(readdirSync(join(env.DATA_FOLDER, 'database'))).toContain('data')
  const nobody = storeFromEnvironment({ ...env, DATABASE_URL: 'postgres://127.0.0.1:9/nobody' })
  await expect(nobody.query('SELECT 1')).rejects.toThrow(StoreUnavailableError)
  await nobody.close()
})

it('a store is on the server that a file names, so that its password is no variable', async () => {
  const folder = folderOfTest()
  const file = join(folder, 'database-url')
  const open = (env: Record<string, string>) => storeFromEnvironment({ DATA_FOLDER: folder, ...env })
  expect(() => open({ DATABASE_URL_FILE: file })).toThrow('the file of DATABASE_URL_FILE cannot be read')
  writeFileSync(file, '\n')
  expect(() => open({ DATABASE_URL_FILE: file })).toThrow('the file of DATABASE_URL_FILE is empty')
  writeFileSync(file, 'postgres://127.0.0.1:9/nobody\n')
  const nobody = open({ DATABASE_URL: '', DATABASE_URL_FILE: file })
  await expect(nobody.query('SELECT 1')).rejects.toThrow(StoreUnavailableError)
  await nobody.close()
})

it('the gateway to trust is named by the environment, or there is none', () => {
  const jwksUrl = 'http://127.0.0.1:8080/.well-known/agentic-jwks.json'
  expect(trustFromEnvironment({ TRUST_JWKS_URL: '', TRUST_ISSUER: 'edge' })).toEqual({})
  expect(trustFromEnvironment({ TRUST_JWKS_URL: jwksUrl })).toEqual({
    trust: { jwksUrl, issuer: 'agentic-gateway' },
  })
  const env = { TRUST_JWKS_URL: jwksUrl, TRUST_ISSUER: 'edge', TRUST_AUDIENCE: 'http://campaigns:8081' }
  expect(trustFromEnvironment(env)).toEqual({
    trust: { jwksUrl, issuer: 'edge', audience: 'http://campaigns:8081' },
  })
})

it('records that go nowhere cost nothing', async () => {
  const audit = auditFromEnvironment({ AUDIT_FILE: '', RECORDS_URL: '' })
  const service = createService({ operations: [greet], audit, defaultTenant: 'acme' })
  expect((await service.fetch(new Request('http://localhost/greetings/ada'))).status).toBe(200)
  await service.close()
  await audit.close()
})

const program = join(import.meta.dirname, 'served-program.ts')

function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--conditions=agentic-source', program], {
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => (await lines.next()).value as string
  return { child, line, stderr: text(child.stderr), ended: once(child, 'exit') }
}

async function startRecords() {
  const records: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      records.push(
        ...body
          .trim()
          .split('\n')
          .map((each) => JSON.parse(each)),
      )
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { records, url: `http://127.0.0.1:${port}/api/records?part=greetings` }
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets a request end, sends and keeps its records, and leaves nothing open',
  async (signal) => {
    const [file, { records, url }] = [join(folderOfTest(), 'audit.jsonl'), await startRecords()]
    const { child, line, stderr, ended } = start({ AUDIT_FILE: file, RECORDS_URL: url })
    const [, port] = (await line()).split(' ')
    const asked = fetch(`http://127.0.0.1:${port}/greetings/slow`, { method: 'POST' })
    expect(await line()).toBe('asked')
    child.kill(signal)
    const answer = await asked
    expect([answer.status, await answer.json()]).toMatchObject([200, { hello: 'slow' }])
    expect(await ended).toEqual([0, null])
    expect(await stderr).toBe('')
    const kept = readFileSync(file, 'utf8').trim().split('\n')
    expect(kept.map((each) => JSON.parse(each))).toEqual(records)
    expect(records).toMatchObject([{ event_type: 'agentic.response.written', outcome: 'success' }])
  },
)

it('what cannot be closed is told, and the process ends with 1', async () => {
  const { child, line, stderr, ended } = start({ BROKEN: '1' })
  expect(await line()).toMatch(/^listening \d+$/)
  child.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
  expect(await stderr).toContain('"msg":"something could not be closed","error":"Error: this one cannot')
})
