import { readConfig } from '@agentic-rest/testing/read-config'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { type GivenPlugin, tryRoute } from '../../src/index.ts'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

/** Plugins that write their name down, at places of their own. */
function named(
  places: Readonly<Record<string, 'tenant-injector' | 'license-check' | 'prompt-sanitize' | ''>>,
) {
  const passed: string[] = []
  const given = Object.entries(places).map(([name, after]): GivenPlugin => {
    const plugin = pluginOf({ request: () => void passed.push(name) }, name)
    return after === '' ? plugin : { plugin, after }
  })
  return { passed, given }
}

test('plugins run after the one they name, several at one place in the order they are given in', async () => {
  const { passed, given } = named({
    'last-by-default': '',
    'third-after-license': 'license-check',
    'first-after-tenant': 'tenant-injector',
    'second-after-tenant': 'tenant-injector',
    last: 'prompt-sanitize',
  })
  const { url } = await startWithPlugins(given)
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  expect(passed).toEqual([
    'first-after-tenant',
    'second-after-tenant',
    'third-after-license',
    'last-by-default',
    'last',
  ])
})

test('a request that an own plugin refuses does not reach the plugins behind it', async () => {
  const { passed, given } = named({ early: 'tenant-injector', late: 'license-check' })
  const { url } = await startWithPlugins(given, {
    plugins: { 'license-check': { tenants: { acme: { features: [] } } } },
    route: { license: 'items' },
  })
  expectRefusal(await sendRequest(`${url}/items/1`), 403, 'LICENSE_REQUIRED')
  expect(passed).toEqual(['early'])
  expectRefusal(
    await sendRequest(`${url}/items/1`, { headers: { 'x-tenant-id': '' } }),
    403,
    'TENANT_REQUIRED',
  )
  expect(passed).toEqual(['early'])
})

test('a plugin that refuses ends the request before later plugins and the upstream', async () => {
  const passed: string[] = []
  const refuse = pluginOf({ request: () => ({ type: 'forbidden', code: 'NO', message: 'No.' }) }, 'refuser')
  const later = pluginOf({ request: () => void passed.push('later') }, 'later')
  const { url, upstream, audit } = await startWithPlugins([refuse, later])
  expect((await sendRequest(`${url}/items/1`)).status).toBe(403)
  expect(passed).toEqual([])
  expect(upstream.requests).toEqual([])
  // It stands before otel-audit: a refused request is recorded only with include_rejected (decision 22).
  expect(audit).toEqual([])
})

test('the trial of a route lists them in their place', () => {
  const config = readConfig({
    routes: [{ id: 'item', method: 'GET', path: '/items', target: 'http://127.0.0.1:9' }],
  })
  const customPlugins = (['license-check', 'tenant-injector', 'prompt-sanitize'] as const).map((after) => ({
    plugin: pluginOf({ request: () => undefined }, `after-${after}`),
    after,
    token: false,
    options: undefined,
    place: 'gateway.yaml:1:1: plugins.custom[0]',
  }))
  const trial = tryRoute(config, { method: 'GET', target: '/items' }, { customPlugins })
  expect(trial.type === 'route' && trial.plugins.map(({ name }) => name)).toEqual([
    'token-validator',
    'tenant-injector',
    'route-policy',
    'rate-limits',
    'after-tenant-injector',
    'license-check',
    'after-license-check',
    'prompt-sanitize',
    'after-prompt-sanitize',
    'otel-audit',
  ])
})
