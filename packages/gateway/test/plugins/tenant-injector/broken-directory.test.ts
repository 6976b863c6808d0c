import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebhookOptions } from '../../../src/config/config-schema.ts'
import { InitialisationError } from '../../../src/errors.ts'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import {
  answering,
  brokenTreatments,
  holding,
  type LookupServer,
  startLookupServer,
  stopTimeouts,
  type Treatment,
  timeFor,
  webhookAt,
} from '../lookup-server.ts'
import { answerOf, makeContext, makeExchange, makeIdentity, type TestContext } from '../make-exchange.ts'

let context: TestContext
let directory: LookupServer
beforeEach(async () => {
  context = makeContext()
  directory = await startLookupServer()
})
afterEach(async () => {
  await context.close()
  await directory.close()
})

const injector = (overrides: Partial<WebhookOptions> = {}) => {
  const webhook = webhookAt(`${directory.origin}/principals/{principal}`, overrides)
  return tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts', webhook }, context)
}

async function send(plugin: ReturnType<typeof tenantInjector>, subject = 'alice') {
  const exchange = makeExchange({ identity: makeIdentity({ subject }) })
  const answer = answerOf(await plugin.request(exchange), exchange)
  return { tenantId: exchange.tenantId, answer }
}

const good = { tenantId: 'acme', answer: undefined }
const unavailable = {
  tenantId: undefined,
  answer: {
    status: 424,
    mediaType: 'application/vnd.agentic.error+json',
    body: {
      type: 'failed_dependency',
      code: 'TENANT_LOOKUP_UNAVAILABLE',
      message: 'The tenant directory does not answer.',
      trace: { correlationId: 'corr-1', requestId: 'req-1' },
    },
  },
}

test('a directory that drops a connection at its idle edge is asked once more, on a new one', async () => {
  const asked = new WeakMap<Socket, number>()
  directory.treat((request, response) => {
    const count = (asked.get(request.socket) ?? 0) + 1
    asked.set(request.socket, count)
    if (count > 1) request.socket.resetAndDestroy()
    else answering(200, { tenant_id: 'acme' })(request, response)
  })
  const plugin = injector()
  for (const subject of ['alice', 'bob', 'carol']) expect(await send(plugin, subject)).toEqual(good)
})

/** A failure is answered as one and not cached; the next request already uses the recovered directory. */
async function expectOutage(broken: Treatment) {
  const plugin = injector(timeFor(broken))
  directory.treat(broken)
  expect(await send(plugin)).toEqual(unavailable)
  expect(plugin.degraded?.()).toMatch(/^the tenant directory gives no usable answer: [a-z_]+$/)
  directory.treat(answering(200, { tenant_id: 'acme' }))
  stopTimeouts()
  expect(await send(plugin)).toEqual(good)
  expect(plugin.degraded?.()).toBeUndefined()
  expect(directory.calls).toEqual(['/principals/alice', '/principals/alice'])
}

describe('a directory that does not keep its contract is unavailable', () => {
  test.each(brokenTreatments)('%s', (_title, broken) => expectOutage(broken))

  test.each([
    ['HTML', '<!doctype html><title>Sign in</title>'],
    ['nothing', ''],
    ['half a JSON', '{"tenant_id":"acme"'],
    ['a JSON text', '"acme"'],
    ['a JSON list', '["acme"]'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['a number as tenant', '{"tenant_id":42}'],
    ['null as tenant', '{"tenant_id":null}'],
    ['a list as tenant', '{"tenant_id":["acme"]}'],
    ['a text as list', '{"tenants":"acme"}'],
    ['null as list', '{"tenants":null}'],
    ['an object as list', '{"tenants":{"0":"acme","length":1}}'],
    ['a list with a number', '{"tenants":["acme",42]}'],
    ['a list in a list', '{"tenants":[["acme"]]}'],
    ['both keys', '{"tenant_id":"acme","tenants":["acme"]}'],
    ['the key in the prototype', '{"__proto__":{"tenant_id":"acme"}}'],
    ['another spelling', '{"tenantId":"acme"}'],
    ['brackets without end', '['.repeat(60_000)],
  ])('200 with %s', (_title, body) => expectOutage(answering(200, body)))
})

test('a directory that is not there is unavailable', async () => {
  const plugin = injector()
  await directory.close()
  expect(await send(plugin)).toEqual(unavailable)
})

test('an answer of exactly 64 KiB is read', async () => {
  directory.treat(answering(200, JSON.stringify({ tenant_id: 'acme' }).padEnd(65_536, ' ')))
  expect(await send(injector())).toEqual(good)
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with %i is a failure, and where it leads gets nothing',
  async (status) => {
    const elsewhere = await startLookupServer(answering(200, { tenant_id: 'acme' }))
    const location = `${elsewhere.origin}/principals/alice`
    await expectOutage(answering(status, '', { location }))
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  },
)

test('each call has the whole time for itself', async () => {
  const plugin = injector({ timeout_ms: 1000 })
  directory.treat(() => undefined)
  expect(await send(plugin, 'alice')).toEqual(unavailable)
  directory.treat(answering(200, { tenant_id: 'acme' }))
  const timeouts = stopTimeouts()
  expect(await send(plugin, 'alice')).toEqual(good)
  expect(await send(plugin, 'bob')).toEqual(good)
  expect(timeouts).toEqual([1000, 1000])
})

test('everyone who waits for a call that fails gets the failure, from one call', async () => {
  const plugin = injector()
  const { treatment, release } = holding()
  directory.treat(treatment)
  const waiting = Array.from({ length: 50 }, () => send(plugin))
  await directory.called(1)
  release(answering(500))
  expect(await Promise.all(waiting)).toEqual(Array(50).fill(unavailable))
  expect(directory.calls).toHaveLength(1)
})

test('a failure for one principal leaves the kept answer of another alone', async () => {
  const plugin = injector()
  directory.treat(answering(200, { tenant_id: 'acme' }))
  expect(await send(plugin, 'alice')).toEqual(good)
  directory.treat(answering(500))
  expect(await send(plugin, 'bob')).toEqual(unavailable)
  expect(await send(plugin, 'alice')).toEqual(good)
})

test('an outage is logged when it starts and when it ends, not for every request', async () => {
  const plugin = injector()
  directory.treat(answering(500))
  for (const subject of ['a', 'b', 'c']) await send(plugin, subject)
  directory.treat(answering(404))
  for (const subject of ['a', 'b', 'c']) await send(plugin, subject)
  expect(context.lines.map(({ level, message, fields }) => [level, message, fields['reason']])).toEqual([
    ['warn', 'the tenant directory gives no usable answer', 'invalid_answer'],
    ['info', 'the tenant directory answers again', undefined],
  ])
})

test.each([
  ['without its placeholder', 'http://127.0.0.1:9/principals'],
  ['with the placeholder of something else', 'http://127.0.0.1:9/{tenant}'],
  ['with a dot segment', 'http://127.0.0.1:9/a/../{principal}'],
  ['that is not one', 'principals/{principal}'],
])('a URL %s stops the start', (_title, url) => {
  const create = () =>
    tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts', webhook: webhookAt(url) }, context)
  expect(create).toThrow(InitialisationError)
})
