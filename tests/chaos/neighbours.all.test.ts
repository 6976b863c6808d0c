import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type FaultChooser, startFaultProxy } from '../../chaos/fault-proxy.ts'
import { type Fault, faults } from '../../chaos/faults.ts'
import { openFaultyAddress } from '../../chaos/faulty-address.ts'
import { seriesSum } from '../../chaos/series.ts'
import { doAll } from '../../chaos/workers.ts'
import { startCollector } from '../../packages/gateway/test/plugins/otel-audit/collector.ts'
import { createStore } from '../../packages/service/src/runtime/sql-store.ts'
import {
  addEffect,
  countEffects,
  createEffects,
} from '../../packages/service/test/runtime/behaviour/effects.ts'

const wired = faults.filter(({ listener }) => listener === undefined)

/** A port that leads to a server through a fault. */
async function through(fault: Fault, target: number): Promise<number> {
  const address = await openFaultyAddress(fault, target)
  onTestFinished(() => address.close())
  return address.port
}

/** Few enough that keys are fetched in five seconds and queries answered in half a second, on a busy machine too. */
const AT_A_TIME = 6

/** Tries faults, some at a time; resolves with their results, in order. */
async function tryEach<Result>(
  tried: readonly Fault[],
  attempt: (fault: Fault) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const work = { count: tried.length, workers: AT_A_TIME, signal: new AbortController().signal }
  await doAll(work, async (index) => {
    results[index] = await attempt(tried[index] as Fault)
  })
  return results
}

const portOf = (url: string) => Number(new URL(url).port)
const json = (body: Buffer) => JSON.parse(body.toString()) as { code?: string; type?: string }

async function startSteadyUpstream() {
  return await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
}

test('with any fault of the tenant directory a request has an outcome', async () => {
  const service = await startSteadyUpstream()
  const directory = await startUpstream((_request, response) =>
    answerJson(response, { body: { tenant_id: 'acme' } }),
  )
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const ask = async (fault: Fault) => {
    const port = await through(fault, portOf(directory.url))
    // Several gateways share this process: the timeout ends only requests that hang.
    const timeout_ms = fault.hangs ? 400 : 20_000
    const { url } = await startGateway({
      plugins: {
        'token-validator': { issuers: [{ issuer: issuer.url, jwks_uri: issuer.jwksUri }] },
        'tenant-injector': { webhook: { url: `http://127.0.0.1:${port}/{principal}`, timeout_ms } },
      },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: service.url }],
    })
    const headers = { authorization: `Bearer ${await issuer.token()}` }
    const { status, body } = await sendRequest(`${url}/r`, { headers })
    return `${fault.name}: ${status} ${json(body).code ?? 'served'}`
  }
  const outcomes = await tryEach(faults, ask)
  expect(
    outcomes.filter((outcome) => !/: (200 served|424 TENANT_LOOKUP_UNAVAILABLE)$/.test(outcome)),
  ).toEqual([])
  // Faults that delay the answer or come after it do no harm; requests that hang never succeed.
  expect(outcomes).toContain('answer-closed-after: 200 served')
  // The answer of a directory is too short to stall in its body.
  for (const { name } of faults.filter((fault) => fault.hangs && fault.name !== 'answer-stalls-in-body'))
    expect(outcomes).toContain(`${name}: 424 TENANT_LOOKUP_UNAVAILABLE`)
})

test('with any fault of the key server a cold gateway judges a token or reports missing keys', async () => {
  const service = await startSteadyUpstream()
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const quick = faults.filter(({ hangs }) => !hangs)
  const ask = async (fault: Fault) => {
    const port = await through(fault, portOf(issuer.url))
    const jwks_uri = `http://127.0.0.1:${port}/jwks`
    const { url } = await startGateway({
      plugins: { 'token-validator': { issuers: [{ issuer: issuer.url, jwks_uri }] } },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: service.url }],
    })
    const headers = { authorization: `Bearer ${await issuer.token({ claims: { tenant_id: 'acme' } })}` }
    const { status, body } = await sendRequest(`${url}/r`, { headers })
    return `${fault.name}: ${status} ${json(body).code ?? 'served'}`
  }
  const outcomes = await tryEach(quick, ask)
  expect(outcomes.filter((outcome) => !/: (200 served|424 JWKS_UNAVAILABLE)$/.test(outcome))).toEqual([])
  expect(outcomes).toContain('answer-late: 200 served')
  expect(outcomes).toContain('refused: 424 JWKS_UNAVAILABLE')
})

test('with any fault of the collector requests pass, and every record is written or counted as lost', async () => {
  const service = await startSteadyUpstream()
  const collector = await startCollector()
  onTestFinished(() => collector.kill())
  const REQUESTS = 3
  const ask = async (fault: Fault) => {
    const port = await through(fault, collector.port)
    const { url, gateway, metrics } = await startGateway({
      plugins: { 'otel-audit': { exporter: 'otlp', otlp_endpoint: `http://127.0.0.1:${port}` } },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: service.url }],
    })
    for (let count = 0; count < REQUESTS; count += 1) expect((await sendRequest(`${url}/r`)).status).toBe(200)
    const records = async () => seriesSum(await metrics(), 'agentic_plugin_otelaudit_emit_total')
    await vi.waitUntil(async () => (await records()) === REQUESTS, { timeout: 120_000, interval: 50 })
    await gateway.close()
    return fault.name
  }
  const quick = faults.filter(({ hangs }) => !hangs)
  expect(await tryEach(quick, ask)).toEqual(quick.map(({ name }) => name))
})

describePostgres('a store whose connection to PostgreSQL fails', (server) => {
  test('reports that it is unavailable or has done its work, and works again afterwards', async () => {
    const url = await server().createDatabase()
    const plain = createStore({ url })
    onTestFinished(() => plain.close())
    await plain.migrate()
    await createEffects(plain)
    const suffer = async (fault: Fault) => {
      const proxy = await startFaultProxy({ target: portOf(url) })
      onTestFinished(() => proxy.close())
      const store = createStore({ url: `${url.replace(/:\d+\//, `:${proxy.port}/`)}?query_timeout=500` })
      onTestFinished(() => store.close())
      // A connection may take longer than a query: the store asks again.
      await expect.poll(() => store.query('SELECT 1 AS one').catch(() => [])).toEqual([{ one: 1 }])
      const chooser: FaultChooser = { onConnection: () => fault, onTurn: () => fault }
      proxy.choose(chooser)
      const result = await store
        .transaction((sql) => addEffect(sql, 'acme', fault.name))
        .then(
          () => 'done',
          (error: Error) => error.name,
        )
      proxy.choose({})
      await expect.poll(() => store.query('SELECT 1 AS one').catch(() => [])).toEqual([{ one: 1 }])
      return { name: fault.name, result, effects: await countEffects(plain, fault.name) }
    }
    const results = await tryEach(wired, suffer)
    expect(results.filter(({ result }) => !['done', 'StoreUnavailableError'].includes(result))).toEqual([])
    expect(results.filter(({ result, effects }) => result === 'done' && effects !== 1)).toEqual([])
    // The transaction uses an existing connection: some faults never affect it.
    expect(results.filter(({ effects }) => effects > 1)).toEqual([])
    expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['done', 'StoreUnavailableError']))
  })
})
