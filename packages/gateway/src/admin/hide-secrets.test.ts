import { expect, test } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

test('values of secret keys are hidden, of any type and at any depth', () => {
  const secret = { client_secret: 'a', nested: [{ password: { deep: 'b' } }], api_key: 'c', apiKey: 'd' }
  expect(hideSecrets({ ...secret, privateKey: 'e', credentials: ['f'] })).toEqual({
    client_secret: '[hidden]',
    nested: [{ password: '[hidden]' }],
    api_key: '[hidden]',
    apiKey: '[hidden]',
    privateKey: '[hidden]',
    credentials: '[hidden]',
  })
})

test('the address of Redis is hidden as a whole', () => {
  expect(hideSecrets({ shared: { redis_url: 'redis://a:b@c', ca_file: 'd' } })).toEqual({
    shared: { redis_url: '[hidden]', ca_file: 'd' },
  })
})

test('credentials for introspection are hidden, also the name of their file', () => {
  const introspection = {
    url: 'https://id.test/introspect?key=a',
    client_id: 'gateway',
    client_secret_file: 'b',
  }
  expect(hideSecrets({ introspection })).toEqual({
    introspection: {
      url: 'https://id.test/[hidden]?key=[hidden]',
      client_id: 'gateway',
      client_secret_file: '[hidden]',
    },
  })
})

test('every value of a map of headers is hidden', () => {
  expect(hideSecrets({ headers: { A: 'x', B: 'y' } })).toEqual({ headers: { A: '[hidden]', B: '[hidden]' } })
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
  expect(hideSecrets(address)).toBe(shown)
})

test.each([
  ['https://hooks.example/T0/s3cr3t/{tenant}', 'https://hooks.example/[hidden]/[hidden]/{tenant}'],
  ['https://u:p@host/a{tenant}/?x={feature}&bare', 'https://[hidden]@host/[hidden]/?x={feature}&[hidden]'],
  ['https://host', 'https://host'],
])('%s as the address of a webhook is shown as %s', (url, shown) => {
  expect(hideSecrets({ webhook: { url } })).toEqual({ webhook: { url: shown } })
})

test('other values stay unchanged', () => {
  const plain = {
    max_token_bytes: 1,
    token_types: ['JWT'],
    flag: true,
    none: null,
    rules: [{ builtin: 'api_key' }],
  }
  expect(hideSecrets(plain)).toEqual(plain)
})
