import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startServer } from '@agentic-rest/testing/start-server'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, it, onTestFinished } from 'vitest'
import { createService, defineOperation, success } from '../../src/index.ts'
import { ask } from '../harness/ask.ts'
import { operations } from './campaign-operations.ts'
import { expectMounted } from './expect-mounted.ts'

const store = sharedStore()

it('a service is mounted in Hono, below a path of its own', async () => {
  const service = createService({ operations, publicPath: '/agent' })
  onTestFinished(() => service.close())
  const app = new Hono()
  app.get('/hello', (context) => context.text('hello'))
  app.mount('/agent', service.fetch)
  const { url } = await startServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  await expectMounted(`${url}/agent`)
  expect((await ask(`${url}/hello`)).text).toBe('hello')
})

const wait = defineOperation({
  id: 'wait',
  method: 'POST',
  path: '/wait',
  async: true,
  run: () => success({ done: true }),
})

it('addresses in answers begin with the path of the mount', async () => {
  const service = createService({ operations: [wait], store, publicPath: '/agent' })
  onTestFinished(() => service.close())
  const app = new Hono()
  app.mount('/agent', service.fetch)
  const { url } = await startServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  const answer = await ask(`${url}/agent/wait`, { method: 'POST', headers: { prefer: 'respond-async' } })
  const { statusUrl } = JSON.parse(answer.text)
  expect(statusUrl).toMatch(/^\/agent\/operations\//)
  expect((await ask(url + statusUrl)).status).toBe(200)
})
