import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import type { Exchange, Outcome } from '../../src/index.ts'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { startCollector } from '../plugins/otel-audit/collector.ts'
import { pluginOf, startWithPlugins, tokenWith, withTokens } from './start-with-plugins.ts'

const setAll = (values: Readonly<Record<string, unknown>>) =>
  pluginOf({
    request({ audit }) {
      for (const [name, value] of Object.entries(values)) audit.set(name, value as string)
    },
  })

test('a plugin adds attributes to the record; those of the gateway stay', async () => {
  const plugin = setAll({ region: 'eu', attempts: 3, trial: false, 'cost.centre': 'r-d' })
  const { url, audit } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`)
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]?.['attributes']).toEqual({
    region: 'eu',
    attempts: '3',
    trial: 'false',
    'cost.centre': 'r-d',
    outcome_type: 'success',
    status: '200',
    client_address: '127.0.0.1',
    upstream: 'GET item',
  })
})

test('response can add one too, and the last value of a name counts', async () => {
  const plugin = pluginOf({
    request: ({ audit }) => audit.set('phase', 'request'),
    response: ({ audit, result }) => audit.set('phase', `response ${result?.status}`),
  })
  const { url, audit } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`)
  await expect.poll(() => audit[0]?.['attributes']).toMatchObject({ phase: 'response 200' })
})

test('an attribute of a plugin wins over a mapped one', async () => {
  const { url, audit } = await startWithPlugins([setAll({ region: 'eu' })], {
    plugins: { 'otel-audit': { attributes: [{ field: 'region', from_header: 'X-Region' }] } },
  })
  await sendRequest(`${url}/items/1`, { headers: { 'x-region': 'mars' } })
  await expect.poll(() => audit[0]?.['attributes']).toMatchObject({ region: 'eu' })
})

test('the record of a refused request has them too', async () => {
  const plugin = pluginOf({
    request({ audit }) {
      audit.set('closed', true)
      return { type: 'forbidden', code: 'OUT_OF_HOURS', message: 'Closed.' }
    },
  })
  const { url, audit } = await startWithPlugins([plugin], {
    plugins: { 'otel-audit': { include_rejected: true } },
  })
  await sendRequest(`${url}/items/1`)
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]).toMatchObject({
    event_type: 'agentic.request.rejected',
    outcome: 'error',
    attributes: { closed: 'true', outcome_type: 'forbidden' },
  })
})

test.each([
  { type: 'success', body: {} },
  { type: 'created', body: {} },
  { type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' },
] satisfies Outcome[])('a request that a plugin answers itself with $type is recorded', async (outcome) => {
  const { url, audit, upstream } = await startWithPlugins([pluginOf({ request: () => outcome })])
  await sendRequest(`${url}/items/1`)
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]).toMatchObject({
    event_type: 'agentic.request.received',
    tenant_id: 'acme',
    outcome: 'success',
    attributes: { outcome_type: outcome.type },
  })
  expect(upstream.requests).toEqual([])
})

test('a long value is cut, without half a character', async () => {
  const { url, audit } = await startWithPlugins([setAll({ long: `${'x'.repeat(1023)}😀`, lone: '\ud800' })])
  await sendRequest(`${url}/items/1`)
  await expect
    .poll(() => audit[0]?.['attributes'])
    .toMatchObject({ long: `${'x'.repeat(1023)}\ufffd`, lone: '\ufffd' })
})

const reserved = [
  'event_type',
  'tenant_id',
  'actor_id',
  'request_id',
  'correlation_id',
  'operation',
  'resource_id',
  'outcome',
  'timestamp',
  'attributes',
  'request_body',
  'outcome_type',
  'profile_violations',
  'limit',
  'status',
  'code',
  'rule',
  'cause',
  'step',
  'client_address',
  'upstream',
  'token_sub',
  'issuer',
]
const names = ['', ' ', '1st', '__proto__', '-x', 'a b', 'ü', 'x'.repeat(65), 'a\nb']
const values = [undefined, null, {}, [], 1n, Symbol('x'), () => 1]

test.each([
  ...[...reserved, ...names].map((name) => [
    JSON.stringify(name),
    (exchange: Exchange) => exchange.audit.set(name, 'x'),
  ]),
  ...values.map((value) => [
    `a value of type ${typeof value}`,
    (exchange: Exchange) => exchange.audit.set('x', value as unknown as string),
  ]),
  ['a name that is no text', (exchange: Exchange) => exchange.audit.set(7 as unknown as string, 'x')],
] as [string, (exchange: Exchange) => void][])(
  '%s cannot be set, which is a fault of the plugin',
  async (_, attempt) => {
    const plugin = pluginOf({ request: attempt })
    const { url, audit, log } = await startWithPlugins([plugin], {
      plugins: { 'otel-audit': { include_rejected: true } },
    })
    expectRefusal(await sendRequest(`${url}/items/1`), 500, 'PLUGIN_FAILED')
    expect(log.filter(({ level }) => level === 'error')).toMatchObject([{ plugin: 'mine' }])
    await expect.poll(() => audit).toHaveLength(1)
    expect(audit[0]).toMatchObject({
      tenant_id: 'acme',
      request_id: 'req-1',
      attributes: { outcome_type: 'error' },
    })
  },
)

test('a record takes 32 attributes of plugins, not more', async () => {
  const plugin = pluginOf({
    request({ audit }) {
      for (let index = 0; index < 32; index += 1) audit.set(`a${index}`, index)
      audit.set('a31', 'again')
      expect(() => audit.set('a32', 1)).toThrow('at most 32')
    },
  })
  const { url, audit } = await startWithPlugins([plugin])
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  await expect.poll(() => audit).toHaveLength(1)
  expect(Object.keys(audit[0]?.['attributes'] as object)).toHaveLength(36)
  expect(audit[0]?.['attributes']).toMatchObject({ a0: '0', a31: 'again' })
})

test('a caller cannot be hidden behind an attribute', async () => {
  const { url, audit } = await startWithPlugins([setAll({ sub: 'mallory' })], { plugins: withTokens })
  const headers = { authorization: `Bearer ${await tokenWith()}`, 'x-actor-principal': 'bob' }
  await sendRequest(`${url}/items/1`, { headers })
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]).toMatchObject({ actor_id: 'bob', attributes: { token_sub: 'alice', sub: 'mallory' } })
})

test('a span has the attributes too', async () => {
  const collector = await startCollector()
  const { url, gateway } = await startWithPlugins([setAll({ region: 'eu' })], {
    plugins: { 'otel-audit': { exporter: 'otlp', otlp_endpoint: collector.url } },
  })
  await sendRequest(`${url}/items/1`)
  await gateway.drain()
  expect(collector.spans).toMatchObject([{ attributes: { 'attributes.region': 'eu' } }])
  collector.kill()
})
