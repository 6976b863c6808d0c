import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { configText, type TestConfig } from '@agentic-rest/testing/config-text'
import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/index.ts'
import {
  type Boot,
  Channel,
  type Peer,
  type SupervisorCalls,
  type WorkerChannel,
} from '../../src/workers/channel.ts'
import { runWorker } from '../../src/workers/worker.ts'
import { moduleFolder } from '../custom-plugins/module-folder.ts'

/** Two ends of a channel in one process: what is sent passes through JSON, as between processes. */
function createPair(): [Peer & EventEmitter, Peer & EventEmitter] {
  const [first, second] = [new EventEmitter(), new EventEmitter()]
  const end = (own: EventEmitter, other: EventEmitter) =>
    Object.assign(own, {
      send(message: unknown, socket: unknown, _options: unknown, done: (error: Error | null) => void) {
        const sent = JSON.parse(JSON.stringify(message))
        setImmediate(() => {
          other.emit('message', sent, socket)
          done(null)
        })
        return true
      },
    }) as Peer & EventEmitter
  return [end(first, second), end(second, first)]
}

/** A worker in this process, led by the test. */
async function startWorker(config: TestConfig, more: Partial<Boot> = {}) {
  const acceptor = createServer((socket) => worker.tell('connection', undefined, socket as Socket))
  acceptor.listen(0, '127.0.0.1')
  await once(acceptor, 'listening')
  onTestFinished(() => void acceptor.close())
  const { port } = acceptor.address() as AddressInfo
  const told: Record<string, unknown[]> = {}
  const note =
    (name: string, answer?: unknown) =>
    (value: unknown): unknown => {
      told[name] = [...(told[name] ?? []), value]
      return answer
    }
  const boot: Boot = {
    index: 2,
    count: 2,
    file: 'gateway.yaml',
    text: configText(config),
    consoleFolder: undefined,
    hasAdmin: true,
    sharesStdout: false,
    sessionSecret: 's'.repeat(32),
    log: { level: 'debug', pretty: false },
    ...more,
  }
  const answers = { metrics: { contentType: 'text/plain', text: 'all' }, degraded: ['told'] }
  const names = ['failed', 'connections', 'stopAccepting', 'releaseSlot', 'counts']
  const calls: Partial<SupervisorCalls> = {
    ...Object.fromEntries(names.map((name) => [name, note(name)])),
    ...Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, note(name, value)])),
    boot: () => boot,
    ready: (value) => {
      note('ready')(value)
      return port
    },
  }
  const [here, there] = createPair()
  const worker: WorkerChannel = new Channel(here, calls)
  const log: Record<string, unknown>[] = []
  const ended = runWorker({
    peer: there,
    env: {},
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    openLog: (options) => createLog({ ...options, write: (line) => log.push(JSON.parse(line)) }),
  })
  return { worker, told, ended, log, url: `http://127.0.0.1:${port}`, peer: there }
}

/** Resolves with what the worker said when it was ready; its first report follows when it has started. */
const started = async (told: Record<string, unknown[]>) => {
  await eventually(
    () => told['counts'],
    (value) => value !== undefined,
  )
  return told['ready']
}

test('a worker serves the connections that it is handed, and answers for itself when it is asked', async () => {
  const { url: target } = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const route = { id: 'read-item', method: 'GET', path: '/items/{itemId}', target }
  const { worker, told, ended, log, url } = await startWorker({ routes: [route] })
  await started(told)
  // The supervisor logs the warnings of a configuration.
  expect(log.filter(({ level }) => level === 'warn')).toEqual([])

  // The first question starts the collection.
  expect(await worker.ask('feed')).toEqual({ requests: [], rows: [], inFlight: 0, streams: [] })
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  await eventually(
    () => told['connections'],
    (reports) => reports?.length === 2,
  )
  expect(told['connections']).toEqual([
    { arrived: 1, ended: 0 },
    { arrived: 0, ended: 1 },
  ])
  const { requests, rows } = await worker.ask('feed')
  expect(requests).toHaveLength(1)
  expect(rows).toMatchObject([{ route: 'read-item', path: '/items/1', status: 200, tenant: 'acme' }])
  expect(await worker.ask('records', 'corr-1')).toMatchObject([
    { correlation_id: 'corr-1', resource_id: '1' },
  ])
  expect(await worker.ask('records', 'another')).toEqual([])
  expect(await worker.ask('recent', { most: 10, untilMs: Date.now() + 1000 })).toMatchObject([
    { correlationId: 'corr-1', tenant: 'acme', requests: [{ route: 'read-item' }] },
  ])
  expect(await worker.ask('degraded')).toEqual([])
  const values = await worker.ask('metrics')
  expect(values.find(({ name }) => name === 'agentic_requests_total')?.series).toMatchObject([{ value: 1 }])

  // Its own paths answer for all workers.
  expect(String((await sendRequest(`${url}/metrics`)).body)).toBe('all')
  expect(JSON.parse(String((await sendRequest(`${url}/readyz`)).body)).degraded).toEqual(['told'])

  const applied = { at: new Date().toISOString(), result: 'applied', faults: [] } as const
  expect(await worker.ask('prepareReload', { text: configText({ routes: [] }) })).toEqual([])
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  await worker.ask('concludeReload', applied)
  expect((await sendRequest(`${url}/items/1`)).status).toBe(404)
  const broken = configText({ routes: [{ ...route, ca_file: 'no.pem', target: 'https://service.test' }] })
  expect(await worker.ask('prepareReload', { text: broken })).toEqual([expect.stringContaining('ca_file')])
  // Prepared, and then refused because of another worker.
  expect(await worker.ask('prepareReload', { text: configText({ routes: [route] }) })).toEqual([])
  await worker.ask('concludeReload', { ...applied, result: 'refused', faults: ['no key'] })
  expect((await sendRequest(`${url}/items/1`)).status).toBe(404)
  expect(await worker.ask('degraded')).toEqual(['configuration: the last reload was refused'])

  worker.tell('drain')
  expect(await ended).toBe(true)
  expect(told['stopAccepting']).toHaveLength(1)
  expect(told['counts']).not.toEqual([])
})

test('a worker keeps no records where no admin listener asks for them', async () => {
  const { url: target } = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const route = { id: 'read-item', method: 'GET', path: '/items/{itemId}', target }
  const { worker, told, ended, url } = await startWorker({ routes: [route] }, { hasAdmin: false })
  await started(told)
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  for (const question of ['feed', 'requests'] as const)
    await expect(worker.ask(question)).rejects.toThrow('the other process failed to answer')
  worker.tell('drain')
  expect(await ended).toBe(true)
})

test('a line of a plugin with a field named warning is logged', async () => {
  const { path, file } = moduleFolder({
    'mine.mjs': `export const plugin = { name: 'mine', create(_, { log }) {
  log.warn('low on paper', { warning: 'paper' })
  return { request: () => undefined }
} }`,
  })
  const custom = [{ name: 'mine', module: `${path}/mine.mjs` }]
  const { worker, told, ended, log } = await startWorker({ plugins: { custom }, routes: [] }, { file })
  await started(told)
  expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
    { msg: 'low on paper', warning: 'paper', plugin: 'mine', worker: 2 },
  ])
  worker.tell('drain')
  await ended
})

test('a worker that cannot start says why', async () => {
  const token = { issuers: [{ issuer: 'https://id.test', audience: ['a'], jwks_file: 'no.json' }] }
  const { told, ended } = await startWorker({ plugins: { 'token-validator': token }, routes: [] })
  expect(await ended).toBe(false)
  expect(told['failed']).toEqual([
    { reason: 'issuer https://id.test: jwks_file cannot be read', isInitialisation: true },
  ])
})

test('a worker whose supervisor is gone finishes and ends', async () => {
  const { told, ended, peer } = await startWorker({ routes: [] })
  await started(told)
  peer.emit('disconnect')
  expect(await ended).toBe(true)
})

test('the first worker has the admin listener, and no worker logs the warnings of the configuration', async () => {
  const config = { gateway: { admin: { port: 0 } }, routes: [] }
  const first = await startWorker(config, { index: 1 })
  const another = await startWorker(config, { index: 2 })
  const ports = []
  const warnings = []
  for (const { told, log, worker, ended } of [first, another]) {
    ports.push((await started(told))?.[0])
    warnings.push(log.filter(({ level }) => level === 'warn').length)
    worker.tell('drain')
    await ended
  }
  expect(ports).toEqual([{ adminPort: expect.any(Number) }, {}])
  expect(warnings).toEqual([0, 0])
})
