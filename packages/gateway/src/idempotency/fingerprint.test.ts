import { expect, test } from 'vitest'
import { type FingerprintedRequest, fingerprint, keyDigest } from './fingerprint.ts'

type Changes = Partial<Omit<FingerprintedRequest, 'body'>> & { readonly body?: string | Buffer }

const digest = ({ body = '{"a":1}', ...changes }: Changes = {}) =>
  fingerprint({
    method: 'POST',
    path: '/notes/1',
    query: '?a=1&b=2',
    contentType: 'application/json',
    issuer: 'https://id.example.test',
    subject: 'alice',
    body: Buffer.from(body as string),
    ...changes,
  })

test.each<[string, Changes]>([
  ['method', { method: 'PUT' }],
  ['path', { path: '/notes/2' }],
  ['query', { query: '?a=1' }],
  ['content type', { contentType: 'text/plain' }],
  ['absent content type', { contentType: undefined }],
  ['issuer', { issuer: 'https://other.example.test' }],
  ['subject', { subject: 'bob' }],
  ['body', { body: '{"a":2}' }],
  ['type of a value', { body: '{"a":"1"}' }],
  ['spelling of a number', { body: '{"a":1.0}' }],
  ['order of a list', { body: '[2,1]' }],
  ['absent body', { body: '' }],
])('another %s is another request', (_name, changes) => {
  expect(digest(changes)).not.toBe(digest())
})

test('numbers that JavaScript cannot tell apart are different', () => {
  expect(digest({ body: '[9007199254740993]' })).not.toBe(digest({ body: '[9007199254740992]' }))
})

test('texts are not taken for numbers, nor for the marks of either', () => {
  const bodies = ['[1]', '["1"]', '["n1"]', '["s1"]']
  expect(new Set(bodies.map((body) => digest({ body }))).size).toBe(bodies.length)
})

test('the order of members and of names in the query makes no difference', () => {
  const texts = ['{"a":":","b":{"c:":"\\\\\\""}}', '{"b":{"c:":"\\\\\\""},"a":":"}']
  expect(new Set(texts.map((body) => digest({ body }))).size).toBe(1)
  expect(digest({ body: '{"b":{"d":1,"c":2},"__proto__":3}' })).toBe(
    digest({ body: ' { "__proto__": 3, "b": { "c": 2, "d": 1 } }' }),
  )
  expect(digest({ query: '?b=2&a=1' })).toBe(digest())
  expect(digest({ query: '?a=1&a=2' })).not.toBe(digest({ query: '?a=2&a=1' }))
  expect(digest({ query: '?a=%FF' })).not.toBe(digest({ query: '?a=%FE' }))
  expect(digest({ query: '?a=1%26b=2' })).not.toBe(digest())
})

test.each([
  ['no JSON', 'application/json', '{"a":1', '{ "a":1'],
  ['JSON with two members of one name', 'application/json', '{"a":1,"a":2}', '{"a":2}'],
  [
    'JSON with two nested ones',
    'application/json',
    '[{"\\u0061":1,"b:":"\\":","a":2}]',
    '[{"b:":"\\":","a":2}]',
  ],
  ['another type', 'text/plain', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  [
    'nested too deep',
    'application/json',
    '['.repeat(70) + ']'.repeat(70),
    `${'['.repeat(70)} ${']'.repeat(70)}`,
  ],
  ['too large', 'application/json', `["${'x'.repeat(270_000)}"]`, ` ["${'x'.repeat(270_000)}"]`],
])('a body counts by its bytes: %s', (_name, contentType, one, two) => {
  expect(digest({ contentType, body: one })).toBe(digest({ contentType, body: one }))
  expect(digest({ contentType, body: one })).not.toBe(digest({ contentType, body: two }))
})

test('names with escapes count as they are read, whatever V8 read before', () => {
  // V8 would take the second name of the next body for this one.
  JSON.parse(String.raw`{"fingerprint":1,"b\\\"":2}`)
  const one = String.raw`{"fingerprint":1,"b\"x":2}`
  expect(digest({ body: one })).toBe(digest({ body: String.raw`{"b\u0022x":2,"fingerprint":1}` }))
  expect(digest({ body: one })).not.toBe(digest({ body: String.raw`{"fingerprint":1,"b\\\"":2}` }))
})

test('types of the profile are JSON', () => {
  const contentType = 'application/vnd.example+json; charset=utf-8'
  expect(digest({ contentType, body: '{"a":1,"b":2}' })).toBe(digest({ contentType, body: '{"b":2,"a":1}' }))
})

test('a key is one of its tenant and route', () => {
  const all = [
    keyDigest('a', 'b', 'c'),
    keyDigest('ab', '', 'c'),
    keyDigest('a', 'c', 'b'),
    keyDigest('a', 'b', 'd'),
  ]
  expect(new Set(all).size).toBe(4)
  expect(all[0]).toMatch(/^[\w-]{43}$/)
})

test('escaped names are told apart, whatever was parsed before', () => {
  const before = digest({ body: '{"a":1,"\\u0062":2}' })
  // V8 remembers these names, and takes an escaped one for them.
  JSON.parse('{"a":1,"\\\\":2}')
  expect(digest({ body: '{"a":1,"\\u0062":2}' })).toBe(before)
  expect(digest({ body: '{"b":2,"a":1}' })).toBe(before)
  expect(digest({ body: '{"a":1,"\\u0063":2}' })).not.toBe(before)
  expect(digest({ body: '{"a":1,"\\\\":2}' })).not.toBe(digest({ body: '{"a":1,"\\"":2}' }))
})
