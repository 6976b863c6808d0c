import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { FeedBatch } from '../../src/admin/feed-batch.ts'
import { createLog } from '../../src/index.ts'
import { createChannel, type Desk, type Peer } from '../../src/workers/channel.ts'
import type { Boot, WorkerDesk } from '../../src/workers/desks.ts'
import { joinPrimary } from '../../src/workers/room.ts'
import { sendRequest } from '../harness/http-request.ts'
import { eventually } from '../harness/metric-value.ts'
import { configText, type TestConfig } from '../harness/read-config.ts'
import { answerJson, startUpstream } from '../harness/start-upstream.ts'

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
  const door = createServer((socket) => worker.hand('connection', null, socket as Socket))
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  onTestFinished(() => void door.close())
  const { port } = door.address() as AddressInfo
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
    log: { level: 'debug', pretty: false },
    looking: false,
    isFirst: true,
    ...more,
  }
  const answers = { metrics: { contentType: 'text/plain', text: 'all' }, degraded: ['told'] }
  const names = ['started', 'failed', 'taken', 'closed', 'closeDoor', 'releaseSlot', 'counts', 'feed']
  const desk: Desk = {
    ...Object.fromEntries(names.map((name) => [name, note(name)])),
    ...Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, note(name, value)])),
    boot: () => boot,
    ready: () => port,
    agree: note('agree', []),
  }
  const [here, there] = createPair()
  const worker = createChannel<WorkerDesk & Desk>(here, desk)
  const log: Record<string, unknown>[] = []
  const ended = joinPrimary({
    peer: there,
    env: {},
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    openLog: (options) => createLog({ ...options, write: (line) => log.push(JSON.parse(line)) }),
  })
  return { worker, told, ended, log, url: `http://127.0.0.1:${port}`, peer: there }
}

const started = (told: Record<string, unknown[]>) =>
  eventually(
    () => told['started'],
    (value) => value !== undefined,
  )

test('a worker serves the connections that it is handed, and answers for itself when it is asked', async () => {
  const { url: target } = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const route = { id: 'read-item', method: 'GET', path: '/items/{itemId}', target }
  const { worker, told, ended, log, url } = await startWorker({ routes: [route] })
  await started(told)
  // The first worker tells what is unwise about a file, and no other.
  expect(log.filter(({ level }) => level === 'warn')).toEqual([])

  worker.tell('look', true)
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  await eventually(
    () => [told['taken'], told['closed']],
    ([taken, closed]) => taken?.length === 1 && closed?.length === 1,
  )
  const batches = () => (told['feed'] ?? []) as FeedBatch[]
  await eventually(batches, (all) => all.some(({ requests }) => requests.length > 0))
  const shown = batches().flatMap(({ rows }) => rows)
  expect(shown).toMatchObject([{ route: 'read-item', path: '/items/1', status: 200, tenant: 'acme' }])
  worker.tell('look', false)
  expect(await worker.ask('records', 'corr-1')).toMatchObject([
    { correlation_id: 'corr-1', resource_id: '1' },
  ])
  expect(await worker.ask('records', 'another')).toEqual([])
  expect(await worker.ask('recent', null)).toMatchObject([{ correlationId: 'corr-1', route: 'read-item' }])
  expect(await worker.ask('degraded', null)).toEqual([])
  const values = await worker.ask('metrics', null)
  expect(values.find(({ name }) => name === 'agentic_requests_total')?.series).toMatchObject([{ value: 1 }])

  // What it says on its own paths is what the primary says of all.
  expect(String((await sendRequest(`${url}/metrics`)).body)).toBe('all')
  expect(JSON.parse(String((await sendRequest(`${url}/readyz`)).body)).degraded).toEqual(['told'])

  expect(await worker.ask('reload', configText({ routes: [] }))).toMatchObject({ result: 'applied' })
  expect((await sendRequest(`${url}/items/1`)).status).toBe(404)
  const broken = configText({ routes: [{ ...route, ca_file: 'no.pem', target: 'https://service.test' }] })
  expect(await worker.ask('reload', broken)).toMatchObject({ at: expect.any(String) })
  expect(told['agree']).toEqual([[], [expect.stringContaining('ca_file')]])

  worker.tell('drain', null)
  expect(await ended).toBe(true)
  expect(told['closeDoor']).toEqual([null])
  expect(told['counts']).not.toEqual([])
})

test('a worker that cannot start says why', async () => {
  const token = { issuers: [{ issuer: 'https://id.test', audience: ['a'], jwks_file: 'no.json' }] }
  const { told, ended } = await startWorker({ plugins: { 'token-validator': token }, routes: [] })
  expect(await ended).toBe(false)
  expect(told['failed']).toEqual([
    { reason: 'issuer https://id.test: jwks_file cannot be read', isInitialisation: true },
  ])
})

test('a worker whose primary is gone finishes and ends', async () => {
  const { told, ended, peer } = await startWorker({ routes: [] })
  await started(told)
  peer.emit('disconnect')
  expect(await ended).toBe(true)
})

test('the first worker has the admin listener, and tells what is unwise about the file once', async () => {
  const config = { gateway: { admin: { port: 0 } }, routes: [] }
  const first = await startWorker(config, { index: 1 })
  const again = await startWorker(config, { index: 1, isFirst: false })
  const another = await startWorker(config, { index: 2 })
  const ports = []
  const warnings = []
  for (const { told, log, worker, ended } of [first, again, another]) {
    ports.push((await started(told))?.[0])
    warnings.push(log.filter(({ level }) => level === 'warn').length)
    worker.tell('drain', null)
    await ended
  }
  expect(ports).toEqual([{ adminPort: expect.any(Number) }, { adminPort: expect.any(Number) }, {}])
  expect(warnings).toEqual([2, 0, 0])
})
