import { once } from 'node:events'
import { get } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startServer } from '@agentic-rest/testing/start-server'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { applied, startReloadable } from '../reload/start-reloadable.ts'
import { answerNumber, startServices, upstreamConfig } from './start-targets.ts'

it('a reload replaces targets: streams at the old one go on, then its connections close', async () => {
  let end: (() => void) | undefined
  const old = await startServer((_request, response) => {
    response.write('begun ')
    end = () => void response.end('ended')
  })
  const next = await startUpstream(answerNumber(1))
  const gateway = await startReloadable(upstreamConfig({ targets: [old.url] }))
  const stream = get(`${gateway.url}/r`, { headers: { 'x-tenant-id': 'acme' } })
  const [response] = await once(stream, 'response')
  response.setEncoding('utf8')
  await once(response, 'readable')
  expect(await gateway.reloadTo(upstreamConfig({ targets: [next.url] }))).toMatchObject(applied)
  for (let request = 0; request < 5; request += 1)
    expect((await sendRequest(`${gateway.url}/r`)).body.toString()).toBe('{"number":1}')
  end?.()
  let text = ''
  for await (const chunk of response) text += chunk
  expect(text).toBe('begun ended')
  const connections = () =>
    new Promise<number>((resolve) => old.server.getConnections((_error, count) => resolve(count)))
  await eventually(connections, (count) => count === 0)
})

it('a target that a reload leaves in place keeps its state', async () => {
  const failing = await startUpstream((_request, response) => void response.writeHead(500).end())
  const services = await startServices(2)
  const [first, second] = services.map(({ url }) => url)
  const eject = { consecutive_failures: 1, seconds: 3600 }
  const gateway = await startReloadable(upstreamConfig({ targets: [failing.url, first], eject }))
  const up = async () => metricValue(await gateway.metrics(), 'agentic_upstream_target_up', { target: '1' })
  await eventually(
    async () => {
      await sendRequest(`${gateway.url}/r`)
      return await up()
    },
    (value) => value === 0,
  )
  const before = failing.requests.length
  expect(
    await gateway.reloadTo(upstreamConfig({ targets: [failing.url, first, second], eject })),
  ).toMatchObject(applied)
  expect(await up()).toBe(0)
  for (let request = 0; request < 20; request += 1)
    expect((await sendRequest(`${gateway.url}/r`)).status).toBe(200)
  expect(failing.requests.length).toBe(before)
  expect(services.every(({ requests }) => requests.length > 0)).toBe(true)
})
