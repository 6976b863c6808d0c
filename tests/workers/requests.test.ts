import type { ServerResponse } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { ask, createClient, startWorkers } from './start-workers.ts'

const LIMIT = 6

/** An upstream that holds all answers until the test releases them. */
async function startSlowUpstream() {
  const held: ServerResponse[] = []
  const upstream = await startUpstream((_request, response) => void held.push(response))
  const goOn = () => {
    for (const response of held.splice(0)) answerJson(response, { body: { ok: true } })
  }
  return { ...upstream, held, goOn }
}

test('max_in_flight is divided among the workers, and metrics are those of all', async () => {
  const upstream = await startSlowUpstream()
  const gateway = await startWorkers({
    target: upstream.url,
    gateway: { limits: { max_in_flight: LIMIT, max_in_flight_per_tenant: LIMIT } },
  })
  const send = (client = createClient()) => ask(`${gateway.url}/items/1`, client)
  /** Clients with an open connection each. */
  const connect = async (count: number) => {
    const connected = Array.from({ length: count }, () => createClient())
    for (const client of connected) expect((await ask(`${gateway.url}/healthz`, client)).status).toBe(200)
    return connected
  }
  /** The allowed number of requests is at the service and all others are refused before any is answered. */
  const expectSplit = async (sent: readonly Promise<{ status: number }>[], limit = LIMIT) => {
    const statuses: number[] = []
    for (const answer of sent) void answer.then(({ status }) => statuses.push(status))
    const refused = Array(sent.length - limit).fill(503)
    await eventually(
      () => [upstream.held.length, statuses.length],
      ([held, answered]) => held === limit && answered === refused.length,
    )
    upstream.goOn()
    await Promise.all(sent)
    expect(statuses).toEqual([...refused, ...Array(limit).fill(200)])
  }
  // Connections go to the two workers in turn.
  const clients = await connect(2 * (LIMIT + 2))
  for (const remainder of [0, 1]) {
    const ofOneWorker = clients.filter((_, index) => index % 2 === remainder)
    await expectSplit(ofOneWorker.map(send), LIMIT / 2)
  }
  // Spread over both.
  await expectSplit(Array.from({ length: 20 }, () => send()))

  const total = 20 + 2 * (LIMIT + 2)
  const requests = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('agentic_requests_total{'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  // Every worker returns the same sum.
  for (let count = 0; count < 4; count += 1) expect(requests(await gateway.metrics())).toBe(total)
  expect(metricValue(await gateway.metrics(), 'agentic_gateway_requests_in_flight')).toBe(0)

  const [victim = 0] = gateway.pids()
  process.kill(victim, 'SIGKILL')
  expect(await gateway.logged('a worker ended and is replaced')).toMatchObject({
    level: 'error',
    pid: victim,
    how: 'SIGKILL',
  })
  expect(requests(await gateway.metrics())).toBe(total)
  await gateway.replaced()
  // The new worker gets most of these connections. All are open before the first request: connections that end with a
  // refusal would make room at the new worker for the next ones.
  await expectSplit((await connect(40)).map(send))
  const text = await gateway.metrics()
  expect(requests(text)).toBe(total + 40)
  expect(metricValue(text, 'agentic_gateway_worker_restarts_total')).toBe(1)
  expect(JSON.parse((await ask(`${gateway.url}/readyz`)).body)).toEqual({ status: 'ready', degraded: [] })
})
