import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startServer } from '@agentic-rest/testing/start-server'
import { memoryLog, startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createService, createStore, defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer } from './harness/ask.ts'

const store = sharedStore()

/** An operation that waits for the test. */
function waiting() {
  const begun = Promise.withResolvers<AbortSignal>()
  const goOn = Promise.withResolvers<void>()
  const operation = defineOperation({
    id: 'wait',
    method: 'POST',
    path: '/wait',
    async run({ signal }) {
      begun.resolve(signal)
      await goOn.promise
      return success({ done: true })
    },
  })
  return { operation, begun: begun.promise, goOn: goOn.resolve }
}

const keyed = defineOperation({
  id: 'keyed',
  method: 'POST',
  path: '/keyed',
  idempotent: true,
  run: () => success({}),
})

describe('closing a service', () => {
  it('lets requests in flight end and refuses new ones meanwhile', async () => {
    const { operation, begun, goOn } = waiting()
    const { url, service } = await startService({ operations: [operation] })
    const first = ask(`${url}/wait`, { method: 'POST' })
    await begun
    const closed = service.close()
    const refused = await ask(`${url}/wait`, { method: 'POST' })
    expectAnswer(refused, 503, {
      type: 'error',
      code: 'SHUTTING_DOWN',
      message: 'The service is shutting down.',
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    goOn()
    expectAnswer(await first, 200, { done: true })
    await closed
  })

  it('tells requests that take too long to stop, and does not wait for them', async () => {
    const { operation, begun, goOn } = waiting()
    const { url, service } = await startService({ operations: [operation], closeSeconds: 0.05 })
    const first = ask(`${url}/wait`, { method: 'POST' })
    const signal = await begun
    await service.close()
    expect(signal.aborted).toBe(true)
    goOn()
    expect((await first).status).toBe(200)
  })

  it('can be done twice', async () => {
    const { service } = await startService({ operations: [waiting().operation] })
    await service.close()
    await service.close()
  })

  it('leaves a store open that the service was given', async () => {
    const service = createService({ operations: [keyed], store, log: memoryLog().log })
    const { url } = await startServer(service.listener)
    expect((await ask(`${url}/keyed`, { method: 'POST', headers: { 'idempotency-key': 'k' } })).status).toBe(
      200,
    )
    await service.close()
    expect(await store.query('SELECT count(*)::int AS keys FROM agentic_idempotency')).toEqual([{ keys: 1 }])
  })

  it('closes the store that the service made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentic-service-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const service = createService({ operations: [keyed], store: { folder }, log: memoryLog().log })
    const { url } = await startServer(service.listener)
    await ask(`${url}/keyed`, { method: 'POST', headers: { 'idempotency-key': 'k' } })
    await service.close()
    // A folder belongs to one store at a time. It opens again because the first store is closed.
    const again = createStore({ folder })
    expect(await again.query('SELECT count(*)::int AS keys FROM agentic_idempotency')).toEqual([{ keys: 1 }])
    await again.close()
  })
})

it('a service that needs no store opens none', async () => {
  const { log, lines } = memoryLog()
  const before = process.memoryUsage().rss
  const service = createService({ operations: [waiting().operation], log })
  await service.close()
  // The embedded database takes more than 100 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024)
  expect(lines).toEqual([])
})

it('a service that needs a store and was given none says that it forgets', async () => {
  const { log, lines } = memoryLog()
  const service = createService({ operations: [keyed], log })
  await service.close()
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'keys, operations and approvals are kept in memory, because the service was given no store',
      fields: {},
    },
  ])
})

it.each(['agent', '/agent/', '/'])('the public path %j is refused at start', (publicPath) => {
  expect(() => createService({ operations: [keyed], publicPath })).toThrow(
    'publicPath has to begin with a slash',
  )
})

it('a caller that leaves aborts the run and is no failure of the service', async () => {
  const begun = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<void>()
  const operation = defineOperation({
    id: 'wait',
    method: 'POST',
    path: '/wait',
    async run({ signal }) {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      heard.resolve()
      throw signal.reason
    },
  })
  const { url, log, service } = await startService({ operations: [operation] })
  const controller = new AbortController()
  const left = ask(`${url}/wait`, { method: 'POST', signal: controller.signal })
  await begun.promise
  controller.abort()
  await expect(left).rejects.toThrow()
  await heard.promise
  await service.close()
  expect(log.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'the caller left before the answer'],
  ])
})
