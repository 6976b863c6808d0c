import { expect, test } from 'vitest'
import { section, text } from '../config/schema/field-kinds.ts'
import { hideSecrets } from './hide-secrets.ts'

const operator = { reader: 'operator' } as const
const addresses = section({ address: text('an address') })

const VALIDATOR = ['plugins', 'token-validator']
const WEBHOOK = ['plugins', 'tenant-injector', 'webhook']

test('secrets are hidden at any depth, and so are the names of their files', () => {
  const issuers = [{ hs256_secret: 'a', hs256_secret_file: 'b', jwks_file: 'c' }]
  expect(hideSecrets({ mode: 'on', issuers }, VALIDATOR, operator)).toEqual({
    mode: 'on',
    issuers: [{ hs256_secret: '[hidden]', hs256_secret_file: '[hidden]', jwks_file: 'c' }],
  })
})

test('what the schema does not know is hidden', () => {
  const unknown = { client_secret: 'a', nested: [{ password: { deep: 1 } }], none: null }
  expect(hideSecrets({ mode: 'on', ...unknown }, VALIDATOR, operator)).toEqual({
    mode: 'on',
    client_secret: '[hidden]',
    nested: [{ password: { deep: '[hidden]' } }],
    none: '[hidden]',
  })
  expect(hideSecrets({ name: 'a' }, ['plugins', 'no-such-plugin'], operator)).toEqual({ name: '[hidden]' })
})

test('options of a custom plugin are hidden, their keys are shown', () => {
  const options = { key: 'a', list: [1, { on: true }] }
  expect(hideSecrets({ token: false, options }, ['plugins', 'custom', 0], operator)).toEqual({
    token: false,
    options: { key: '[hidden]', list: ['[hidden]', { on: '[hidden]' }] },
  })
})

test('the address of Redis is hidden as a whole', () => {
  expect(hideSecrets({ redis_url: 'redis://a:b@c', ca_file: 'd' }, ['gateway', 'shared'], operator)).toEqual({
    redis_url: '[hidden]',
    ca_file: 'd',
  })
})

test('credentials for introspection are hidden, also the name of their file', () => {
  const introspection = {
    url: 'https://id.test/introspect?key=a',
    client_id: 'gateway',
    client_secret_file: 'b',
  }
  expect(hideSecrets({ introspection }, [...VALIDATOR, 'issuers', 0], operator)).toEqual({
    introspection: {
      url: 'https://id.test/[hidden]?key=[hidden]',
      client_id: 'gateway',
      client_secret_file: '[hidden]',
    },
  })
})

test('every value of a map of headers is hidden', () => {
  expect(hideSecrets({ headers: { A: 'x', B: 'y' }, timeout_ms: 5 }, WEBHOOK, operator)).toEqual({
    headers: { A: '[hidden]', B: '[hidden]' },
    timeout_ms: 5,
  })
})

test.each([
  ['https://user:pass@host/path', 'https://[hidden]@host/path'],
  ['postgres://u:p%40@db:5432/x?sslmode=require', 'postgres://[hidden]@db:5432/x?sslmode=[hidden]'],
  ['https://host/a@b', 'https://host/a@b'],
  [
    'https://host/{tenant}?f={feature}&k=v&empty=',
    'https://host/{tenant}?f={feature}&k=[hidden]&empty=[hidden]',
  ],
  ['https://host/a?bare-key&k=v=w&{tenant}', 'https://host/a?[hidden]&k=[hidden]&{tenant}'],
  ['https://host/x#token=abc', 'https://host/x'],
  ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
  ['not an address?k=v', 'not an address?k=v'],
])('%s is shown as %s', (address, shown) => {
  expect(hideSecrets(address, ['routes', 0, 'target'], operator)).toBe(shown)
})

test.each([
  ['https://hooks.example/T0/s3cr3t/{tenant}', 'https://hooks.example/[hidden]/[hidden]/{tenant}'],
  ['https://u:p@host/a{tenant}/?x={feature}&bare', 'https://[hidden]@host/[hidden]/?x={feature}&[hidden]'],
  ['https://host', 'https://host'],
])('%s as the address of a webhook is shown as %s', (url, shown) => {
  expect(hideSecrets({ url }, WEBHOOK, operator)).toEqual({ url: shown })
})

test('other values stay unchanged', () => {
  const plain = { max_token_bytes: 1, required_claims: ['sub'], end_streams_at_expiry: true }
  expect(hideSecrets(plain, VALIDATOR, operator)).toEqual(plain)
  const rules = [{ name: 'keys', builtin: 'api_key' }]
  expect(hideSecrets({ rules }, ['plugins', 'prompt-sanitize'], operator)).toEqual({ rules })
})

test.each([
  ['https://user:pass@host/path', 'https://[hidden]@host/[hidden]'],
  ['https://host?k=v', 'https://host/[hidden]'],
  ['https://host:8443/', 'https://host:8443'],
  ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
  ['not an address?k=v', 'not an address?k=v'],
])('%s is shown to viewers as %s', (address, shown) => {
  expect(hideSecrets({ address }, [], { reader: 'viewer', schema: addresses })).toEqual({ address: shown })
})

test('viewers see neither keywords nor patterns of rules, and the names of issuers', () => {
  const rules = [{ name: 'a', keywords: ['b', 'c'], regex: 'd' }]
  const issuers = [{ issuer: 'https://id.test/realms/a', jwks_uri: 'https://id.test/realms/a/keys' }]
  const plugins = { 'prompt-sanitize': { rules }, 'token-validator': { issuers } }
  expect(hideSecrets(plugins, ['plugins'], { reader: 'operator' })).toEqual(plugins)
  expect(hideSecrets(plugins, ['plugins'], { reader: 'viewer' })).toEqual({
    'prompt-sanitize': { rules: [{ name: 'a', keywords: ['[hidden]', '[hidden]'], regex: '[hidden]' }] },
    'token-validator': {
      issuers: [{ issuer: 'https://id.test/realms/a', jwks_uri: 'https://id.test/[hidden]' }],
    },
  })
})
