import { expect, test } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

test('values of secret keys are hidden, of any type and at any depth', () => {
  const secret = { client_secret: 'a', nested: [{ password: { deep: 'b' } }], api_key: 'c', apiKey: 'd' }
  expect(hideSecrets({ ...secret, privateKey: 'e', credentials: ['f'] }, 'operator')).toEqual({
    client_secret: '[hidden]',
    nested: [{ password: '[hidden]' }],
    api_key: '[hidden]',
    apiKey: '[hidden]',
    privateKey: '[hidden]',
    credentials: '[hidden]',
  })
})

test('the address of Redis is hidden as a whole', () => {
  expect(hideSecrets({ shared: { redis_url: 'redis://a:b@c', ca_file: 'd' } }, 'operator')).toEqual({
    shared: { redis_url: '[hidden]', ca_file: 'd' },
  })
})

test('credentials for introspection are hidden, also the name of their file', () => {
  const introspection = {
    url: 'https://id.test/introspect?key=a',
    client_id: 'gateway',
    client_secret_file: 'b',
  }
  expect(hideSecrets({ introspection }, 'operator')).toEqual({
    introspection: {
      url: 'https://id.test/[hidden]?key=[hidden]',
      client_id: 'gateway',
      client_secret_file: '[hidden]',
    },
  })
})

test('every value of a map of headers is hidden', () => {
  expect(hideSecrets({ headers: { A: 'x', B: 'y' } }, 'operator')).toEqual({
    headers: { A: '[hidden]', B: '[hidden]' },
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
  expect(hideSecrets(address, 'operator')).toBe(shown)
})

test.each([
  ['https://hooks.example/T0/s3cr3t/{tenant}', 'https://hooks.example/[hidden]/[hidden]/{tenant}'],
  ['https://u:p@host/a{tenant}/?x={feature}&bare', 'https://[hidden]@host/[hidden]/?x={feature}&[hidden]'],
  ['https://host', 'https://host'],
])('%s as the address of a webhook is shown as %s', (url, shown) => {
  expect(hideSecrets({ webhook: { url } }, 'operator')).toEqual({ webhook: { url: shown } })
})

test('other values stay unchanged', () => {
  const plain = {
    max_token_bytes: 1,
    token_types: ['JWT'],
    flag: true,
    none: null,
    rules: [{ builtin: 'api_key' }],
  }
  expect(hideSecrets(plain, 'operator')).toEqual(plain)
})

test.each([
  ['https://user:pass@host/path', 'https://[hidden]@host/[hidden]'],
  ['https://host?k=v', 'https://host/[hidden]'],
  ['https://host:8443/', 'https://host:8443'],
  ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
  ['not an address?k=v', 'not an address?k=v'],
])('%s is shown to viewers as %s', (address, shown) => {
  expect(hideSecrets([address], 'viewer')).toEqual([shown])
})

test('viewers see neither keywords nor patterns of rules, and the names of issuers', () => {
  const rules = [{ name: 'a', keywords: ['b'], regex: 'c' }]
  const issuers = [{ issuer: 'https://id.test/realms/a', jwks_uri: 'https://id.test/realms/a/keys' }]
  expect(hideSecrets({ rules, issuers }, 'viewer')).toEqual({
    rules: [{ name: 'a', keywords: '[hidden]', regex: '[hidden]' }],
    issuers: [{ issuer: 'https://id.test/realms/a', jwks_uri: 'https://id.test/[hidden]' }],
  })
})
