import { expect, test } from 'vitest'
import { discoveryUrl, readJwksUri } from './key-document.ts'

const documentOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test.each([
  ['https://id.example.test', 'https://id.example.test/.well-known/openid-configuration'],
  ['https://id.example.test/', 'https://id.example.test/.well-known/openid-configuration'],
  ['https://id.example.test/a/b', 'https://id.example.test/a/b/.well-known/openid-configuration'],
])('the discovery document of %s is at %s', (issuer, url) => expect(discoveryUrl(issuer)).toBe(url))

test('the keys of an https issuer are not fetched by http', () => {
  const issuer = 'https://id.example.test'
  const secure = { issuer, jwks_uri: 'https://keys.example.test/jwks' }
  expect(readJwksUri(documentOf(secure), issuer)).toBe('https://keys.example.test/jwks')
  const insecure = { issuer, jwks_uri: 'http://keys.example.test/jwks' }
  expect(() => readJwksUri(documentOf(insecure), issuer)).toThrow(
    'the discovery document of an https issuer names an http address of keys',
  )
})
