import type { ServerResponse } from 'node:http'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, type Running, spawnAgentic } from './harness/run-agentic.ts'

interface Busy extends Running {
  /** The answer for the client. */
  readonly answer: Promise<Response>
  /** Lets the service answer. */
  finish(): void
}

/** A gateway with one request in flight, which the service answers on demand. */
async function startBusy(): Promise<Busy> {
  const { promise: reached, resolve } = Promise.withResolvers<ServerResponse>()
  const { url: target } = await startServer((_request, response) => resolve(response))
  const cwd = folderWith({ 'gateway.yaml': configuration({ target }) })
  const running = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const { port } = await running.logged('the gateway is listening')
  const answer = fetch(`http://127.0.0.1:${port}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
  answer.catch(() => undefined)
  const response = await reached
  const finish = () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"item":1}')
  }
  return { ...running, answer, finish }
}

function messages({ log }: Running): unknown[] {
  return log.filter(({ level }) => level === 'info').map(({ msg }) => msg)
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s lets a slow request finish and ends with 0', async (signal) => {
  const gateway = await startBusy()
  gateway.child.kill(signal)
  expect(await gateway.logged('draining')).toMatchObject({ in_flight: 1 })
  gateway.finish()
  const response = await gateway.answer
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ item: 1 })
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null })
  expect(messages(gateway)).toEqual(['the gateway is listening', `${signal} received`, 'draining', 'drained'])
  expect(gateway.audit).toMatchObject([{ operation: 'read-item', outcome: 'success' }])
})

test('a second SIGTERM changes nothing and is logged', async () => {
  const gateway = await startBusy()
  gateway.child.kill('SIGTERM')
  await gateway.logged('draining')
  gateway.child.kill('SIGTERM')
  await gateway.logged('SIGTERM changes nothing: the gateway is draining')
  gateway.finish()
  expect((await gateway.answer).status).toBe(200)
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null })
})

test('a second SIGINT ends at once with 130', async () => {
  const gateway = await startBusy()
  gateway.child.kill('SIGINT')
  await gateway.logged('draining')
  gateway.child.kill('SIGINT')
  expect(await gateway.ended).toMatchObject({ code: 130, signal: null })
  await expect(gateway.answer).rejects.toThrow('fetch failed')
  expect(gateway.log.at(-1)).toMatchObject({ level: 'warn', msg: 'a second SIGINT ends the gateway at once' })
})

test('one SIGINT after a SIGTERM does not cut the drain short', async () => {
  const gateway = await startBusy()
  gateway.child.kill('SIGTERM')
  await gateway.logged('draining')
  gateway.child.kill('SIGINT')
  await gateway.logged('SIGINT changes nothing: the gateway is draining')
  gateway.finish()
  expect((await gateway.answer).status).toBe(200)
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null })
})
