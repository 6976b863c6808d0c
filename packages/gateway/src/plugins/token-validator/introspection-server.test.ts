import { expect, test } from 'vitest'
import { serverOf } from './introspection-server.ts'

test.each([
  ['gateway', 'secret', 'gateway:secret'],
  ['a:b c', 'd+e%f', 'a%3Ab+c:d%2Be%25f'],
  ['ü', '€', '%C3%BC:%E2%82%AC'],
])('the credentials of %s', (client_id, secret, written) => {
  const options = { url: 'https://id.example.test/introspect', client_id, client_secret_file: 'file' }
  expect(serverOf(options, secret)).toEqual({
    url: options.url,
    authorization: `Basic ${Buffer.from(written).toString('base64')}`,
  })
})
