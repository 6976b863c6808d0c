import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@agentic-rest/testing/eventually'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, test } from 'vitest'
import { folderWith, runAgentic } from '../../packages/cli/test/harness/run-agentic.ts'
import { ask, createClient, isAlive, startWorkers, workersConfig } from './start-workers.ts'

const startSlowItems = () =>
  startUpstream(async (_request, response) => {
    // Wait: the service takes a moment, so that requests are in flight when the signal comes.
    await sleep(5)
    answerJson(response, { body: { ok: true } })
  })

test('SIGTERM under load fails no request, and every record is one whole line', async () => {
  const upstream = await startSlowItems()
  const attributes = [{ field: 'big', from_header: 'X-Big' }]
  const gateway = await startWorkers({ target: upstream.url, plugins: { 'otel-audit': { attributes } } })
  const headers = { 'x-big': 'x'.repeat(10_000) }
  const results: { status: number; before: boolean }[] = []
  let told = false
  const load = async () => {
    const client = createClient()
    for (;;) {
      const before = !told
      const { status } = await ask(`${gateway.url}/items/1`, client, headers)
      results.push({ status, before })
      if (status !== 200) return
    }
  }
  const clients = Array.from({ length: 16 }, load)
  await expect.poll(() => results.length).toBeGreaterThan(100)
  told = true
  gateway.child.kill('SIGTERM')
  await Promise.all(clients)
  const { code, stdout } = await gateway.ended
  expect(code).toBe(0)
  // Refused requests were sent after the signal.
  expect(new Set(results.filter(({ before }) => before).map(({ status }) => status))).toEqual(new Set([200]))
  expect([200, 503, 0]).toEqual(expect.arrayContaining([...new Set(results.map(({ status }) => status))]))
  const lines = stdout.trimEnd().split('\n')
  const records = lines.map((line) => JSON.parse(line))
  expect(records.every((record) => record.attributes.big.length === 10_000)).toBe(true)
  expect(records).toHaveLength(upstream.requests.length)
})

test('after the death of the supervisor the workers finish their requests and exit', async () => {
  const answers: (() => void)[] = []
  const upstream = await startUpstream((_request, response) => {
    answers.push(() => answerJson(response, { body: { ok: true } }))
  })
  const gateway = await startWorkers({ target: upstream.url, workers: 2 })
  const workers = gateway.pids()
  expect(workers).toHaveLength(2)
  const asked = ask(`${gateway.url}/items/1`)
  await eventually(
    () => upstream.requests.length,
    (length) => length === 1,
  )
  gateway.child.kill('SIGKILL')
  await gateway.ended
  // The workers have noticed when they accept no more: only then is the request answered.
  await eventually(
    () => ask(`${gateway.url}/healthz`),
    ({ status }) => status !== 200,
  )
  for (const answer of answers) answer()
  expect((await asked).status).toBe(200)
  await eventually(
    () => workers.filter(isAlive),
    ({ length }) => length === 0,
  )
})

test('the supervisor killed, a stream that never ends does not keep its worker', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  })
  const gateway = await startWorkers({
    target: upstream.url,
    workers: 2,
    gateway: { drain_seconds: 1, drain_delay_seconds: 0 },
  })
  const workers = gateway.pids()
  const stream = fetch(`${gateway.url}/events`, {
    method: 'POST',
    headers: { 'x-tenant-id': 'acme', accept: 'text/event-stream' },
  })
  const body = (await stream).text().catch(() => 'cut')
  gateway.child.kill('SIGKILL')
  await eventually(
    () => workers.filter(isAlive),
    ({ length }) => length === 0,
  )
  expect(await body).toMatch(/SHUTTING_DOWN|cut/)
})

test('max_connections is that of all workers, and a second SIGINT ends all of them at once', async () => {
  const upstream = await startUpstream((request, response) => {
    if (request.method === 'GET') return answerJson(response, { body: {} })
    return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  })
  const limits = { max_connections: 5 }
  const gateway = await startWorkers({ target: upstream.url, gateway: { limits } })
  const clients = Array.from({ length: 6 }, () => createClient())
  const statuses = []
  for (const client of clients) statuses.push((await ask(`${gateway.url}/items/1`, client)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 0])
  for (const client of clients) client.destroy()
  const last = createClient()
  await eventually(
    () => ask(`${gateway.url}/items/1`, last),
    ({ status }) => status === 200,
  )

  const workers = gateway.pids()
  // The workers report the lost clients one after another.
  const open = () => openStream({ url: `${gateway.url}/events` }).catch(() => undefined)
  await eventually(open, (stream) => stream !== undefined)
  gateway.child.kill('SIGINT')
  await gateway.logged('draining')
  gateway.child.kill('SIGINT')
  expect((await gateway.ended).code).toBe(130)
  await eventually(
    () => workers.filter(isAlive),
    ({ length }) => length === 0,
  )
})

test('a start failure is reported once, with the exit code of a single process', async () => {
  const taken = await startSlowItems()
  const port = Number(new URL(taken.url).port)
  const cases = [
    [{ gateway: { port } }, `port ${port} on 127.0.0.1 is taken: choose another with gateway.port`],
    [
      {
        plugins: {
          'token-validator': {
            issuers: [{ issuer: 'https://id.test', audience: ['a'], jwks_file: 'no.json' }],
          },
          'tenant-injector': { allowed: ['acme'] },
        },
      },
      'issuer https://id.test: jwks_file cannot be read',
    ],
  ] as const
  for (const [changes, reason] of cases) {
    const cwd = folderWith({ 'gateway.yaml': workersConfig({ target: taken.url, ...changes }) })
    const { code, stdout, stderr } = await runAgentic(
      ['start', '-c', 'gateway.yaml', '--log-level', 'error'],
      { cwd },
    )
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect({ code, stdout, lines }).toEqual({
      code: 1,
      stdout: '',
      lines: [{ time: expect.any(String), level: 'error', msg: 'the gateway did not start', reason }],
    })
  }
})
