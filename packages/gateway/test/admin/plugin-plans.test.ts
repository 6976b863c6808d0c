import type { TestConfig } from '@agentic-rest/testing/config-text'
import { readConfig } from '@agentic-rest/testing/read-config'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { tryRoute } from '../../src/index.ts'
import { startAdmin } from './harness/start-admin.ts'

const target = 'http://127.0.0.1:9'
const routes = [
  { id: 'plain', method: 'GET', path: '/plain', target },
  { id: 'guarded', method: 'GET', path: '/guarded', target, roles: ['a', 'b'], license: 'items' },
]
const licenses = { 'license-check': { tenants: { acme: { features: ['items'] } } } }
const issuers = [{ issuer: 'https://id.example.test', jwks_uri: 'http://127.0.0.1:9/jwks', audience: ['a'] }]

const cases: Readonly<Record<string, TestConfig>> = {
  'mode off': { plugins: licenses, routes },
  'everything on': {
    plugins: {
      ...licenses,
      'token-validator': { issuers },
      'tenant-injector': { allowed: ['acme', 'globex'] },
      'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] },
    },
    routes,
  },
  'everything off': {
    plugins: { ...licenses, 'otel-audit': { enabled: false } },
    routes,
  },
}

test.each(Object.keys(cases))('console and CLI say the same of every plugin: %s', async (name) => {
  const config = cases[name] as TestConfig
  const { adminUrl } = await startAdmin({ config })
  const { body } = await sendRequest(`${adminUrl}/api/routes`)
  const shown: unknown[] = JSON.parse(body.toString()).routes.map(
    ({ plugins }: { plugins: Record<string, unknown>[] }) =>
      plugins.slice(0, -1).map(({ name, runs, because }) => ({ name, runs, why: because })),
  )
  const tried = routes.map(({ path }) => tryRoute(readConfig(config), { method: 'GET', target: path }))
  expect(shown).toEqual(tried.map((trial) => trial.type === 'route' && trial.plugins))
  expect(shown).toHaveLength(routes.length)
})

test('a route with roles is shut while tokens are off, and both say so', async () => {
  const config = cases['mode off'] as TestConfig
  const { adminUrl } = await startAdmin({ config })
  const { body } = await sendRequest(`${adminUrl}/api/routes`)
  const why = 'refuses everybody: its mode is off and the route wants roles a, b'
  expect(JSON.parse(body.toString()).routes[1].plugins[0]).toEqual({
    name: 'token-validator',
    runs: true,
    because: why,
  })
  expect(tryRoute(readConfig(config), { method: 'GET', target: '/guarded' })).toMatchObject({
    plugins: [{ name: 'token-validator', runs: true, why }, {}, {}, {}, {}, {}, {}],
  })
})
