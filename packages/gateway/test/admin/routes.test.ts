import { expect, test } from 'vitest'
import { sendRequest } from '../harness/http-request.ts'
import { startAdmin } from './harness/start-admin.ts'

const SECRETS = ['shhh', 'hunter2', 'key-in-a-query', 'and-another']

const plugins = {
  'token-validator': {
    issuers: [
      {
        issuer: 'https://id.example.test',
        audience: ['agentic'],
        algorithms: ['HS256'],
        hs256_secret: 'shhh'.repeat(8),
      },
    ],
  },
  'tenant-injector': {
    webhook: {
      url: 'http://127.0.0.1:9/principals/{principal}?api_key=key-in-a-query&who={principal}',
      headers: { 'X-Api-Key': 'hunter2', Accept: 'hunter2' },
    },
  },
  'license-check': { tenants: { acme: { features: ['optimize'] } } },
  'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] },
}

async function read(adminUrl: string) {
  const { status, body } = await sendRequest(`${adminUrl}/api/routes`)
  expect(status).toBe(200)
  return { text: body.toString(), value: JSON.parse(body.toString()) }
}

test('routes are told with what runs for them and why, and services with their routes', async () => {
  const routes = [
    {
      id: 'create',
      method: 'POST',
      path: '/c/{id}',
      target: 'http://127.0.0.1:9/base',
      roles: ['a', 'b'],
      license: 'optimize',
      executionTimeoutSeconds: 5,
      conformance: 'enforce',
    },
    { id: 'read', method: 'GET', path: '/c/{id}', target: 'http://127.0.0.1:9' },
    { id: 'stream', method: 'POST', path: '/s', target: 'https://llm.example.test/v1', mode: 'sse' },
  ]
  const { adminUrl } = await startAdmin({ config: { plugins, routes } })
  const { value } = await read(adminUrl)
  expect(value.routes[0]).toEqual({
    id: 'create',
    method: 'POST',
    path: '/c/{id}',
    target: 'http://127.0.0.1:9/base',
    mode: 'json',
    executionTimeoutSeconds: 5,
    roles: ['a', 'b'],
    license: 'optimize',
    conformance: 'enforce',
    plugins: [
      { name: 'token-validator', runs: true, because: 'a token of 1 issuer is asked for, with a and b' },
      { name: 'tenant-injector', runs: true, because: 'a directory is asked' },
      { name: 'license-check', runs: true, because: 'the tenant needs a licence for optimize' },
      { name: 'prompt-sanitize', runs: true, because: 'bodies are searched by 1 rule' },
      { name: 'otel-audit', runs: true, because: 'one record per request goes to stdout' },
      { name: 'upstream', runs: true, because: 'the request goes to http://127.0.0.1:9' },
    ],
  })
  expect(value.routes[1]).toMatchObject({ license: null, roles: [] })
  expect(value.routes[1].plugins[2]).toEqual({
    name: 'license-check',
    runs: false,
    because: 'the route needs no licence',
  })
  expect(value.services).toEqual([
    { origin: 'http://127.0.0.1:9', routes: ['create', 'read'] },
    { origin: 'https://llm.example.test', routes: ['stream'] },
  ])
  expect(value.plugins.map(({ name, configured }: Record<string, unknown>) => [name, configured])).toEqual([
    ['token-validator', true],
    ['tenant-injector', true],
    ['license-check', true],
    ['prompt-sanitize', true],
    ['otel-audit', true],
    ['upstream', true],
  ])
})

test('plugins that have nothing to do say so', async () => {
  const { adminUrl } = await startAdmin({ config: { plugins: { 'otel-audit': { enabled: false } } } })
  const { value } = await read(adminUrl)
  expect(value.plugins.map(({ configured }: Record<string, unknown>) => configured)).toEqual([
    false,
    true,
    false,
    false,
    false,
    true,
  ])
  expect(value.routes[0].plugins.map(({ because }: Record<string, unknown>) => because).slice(0, 5)).toEqual([
    'tokens are not asked for (mode: off)',
    'the token or the header names the tenant',
    'the route needs no licence',
    'there are no rules',
    'it is turned off',
  ])
})

test('no secret of the configuration is shown', async () => {
  const { adminUrl } = await startAdmin({ config: { plugins, routes: [] } })
  const { text, value } = await read(adminUrl)
  for (const secret of SECRETS) expect(text).not.toContain(secret)
  const [validator, injector] = value.plugins
  expect(validator.configuration.issuers[0]).toMatchObject({
    hs256_secret: '[hidden]',
    issuer: 'https://id.example.test',
    token_types: ['at+jwt', 'JWT'],
  })
  expect(validator.configuration.max_token_bytes).toBe(8192)
  expect(injector.configuration.webhook).toMatchObject({
    url: 'http://127.0.0.1:9/[hidden]/{principal}?api_key=[hidden]&who={principal}',
    headers: { 'X-Api-Key': '[hidden]', Accept: '[hidden]' },
  })
})
