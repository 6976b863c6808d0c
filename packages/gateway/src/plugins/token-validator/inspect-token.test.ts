import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { expect, test } from 'vitest'
import { decodeToken, lifetimeFault, readLifetime } from './inspect-token.ts'

const encode = (text: string) => Buffer.from(text).toString('base64url')
const tokenOf = (payload: string, header = '{"alg":"EdDSA"}') => `${encode(header)}.${encode(payload)}.AAAA`

test.each([
  '{}',
  ' {"a" : 1 , "b":[ {"a":"x"} , {"a":"y"} ] } ',
  '{"a":"text with \\"quotes\\": and colons","b":"\\\\"}',
  '{"a":{"a":{"a":1}}}',
  '{"":1," ":2}',
  '{"a":"\u2028\ud83d\ude00"}',
  `{"deep":${'['.repeat(63)}${']'.repeat(63)}}`,
])('the payload %s is read as it is', (payload) => {
  expect(decodeToken(tokenOf(payload))).toEqual({
    header: { alg: 'EdDSA' },
    claims: JSON.parse(payload),
    signature: Buffer.alloc(3),
  })
})

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"x":{"a":1,"a":2}}',
  '{"x":[{"a":1,"b":2,"a":3}]}',
  '{"__proto__":1,"__proto__":2}',
])('a member that is named twice makes %s unreadable', (payload) => {
  expect(decodeToken(tokenOf(payload))).toBeUndefined()
  expect(decodeToken(tokenOf('{}', payload))).toBeUndefined()
})

test('an escaped name is read as itself, whatever was parsed before it', () => {
  // V8 takes the second name for the backslash of the first text; without the guard the repeated name is not seen.
  JSON.parse('{"a":1,"\\\\":2}')
  expect(decodeToken(tokenOf('{"a":1,"\\u0061":2}'))).toBeUndefined()
  JSON.parse('{"iss":1,"https:\\\\/\\\\":2}')
  expect(decodeToken(tokenOf('{"iss":1,"https:\\/\\/x":2}'))?.claims).toEqual({ iss: 1, 'https://x': 2 })
  expect(decodeToken(tokenOf('{"\\ud83d\\ude00" : {"\\u0062":"\\"c\\":"}}'))?.claims).toEqual({
    '\ud83d\ude00': { b: '"c":' },
  })
})

test.each(['\\\\', '\\"', '\\u0000', '\\n', '\\ud83d'])('the name %s makes claims unreadable', (name) => {
  expect(decodeToken(tokenOf(`{"a":1,"${name}":2}`))).toBeUndefined()
  expect(decodeToken(tokenOf(`{"a":1,"b":"${name}"}`))?.claims['b']).toBe(JSON.parse(`"${name}"`))
})

test('more than 64 levels are not read', () => {
  expect(decodeToken(tokenOf(`{"deep":${'['.repeat(64)}${']'.repeat(64)}}`))).toBeUndefined()
  expect(decodeToken(tokenOf(`{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))).toBeUndefined()
})

test('__proto__ is an own member and changes no prototype', () => {
  const claims = decodeToken(tokenOf('{"__proto__":{"sub":"root"}}'))?.claims ?? {}
  expect(Object.keys(claims)).toEqual(['__proto__'])
  expect(claims['sub']).toBeUndefined()
})

test('an empty signature is a part, a missing one is not', () => {
  expect(decodeToken(`${encode('{}')}.${encode('{}')}.`)).toEqual({
    header: {},
    claims: {},
    signature: Buffer.alloc(0),
  })
  expect(decodeToken(`${encode('{}')}.${encode('{}')}`)).toBeUndefined()
})

test.each([
  ['A', false],
  ['AA', true],
  ['AB', false],
  ['AAA', true],
  ['AAB', false],
  ['AAE', true],
  ['AAAA', true],
  ['AAAAA', false],
  ['AA==', false],
  ['AA+A', false],
  ['AA/A', false],
  ['-_-_', true],
])('the signature %s is canonical base64url: %s', (signature, canonical) => {
  const token = `${encode('{}')}.${encode('{}')}.${signature}`
  expect(decodeToken(token) !== undefined).toBe(canonical)
})

test.each<[string, (size: number) => string]>([
  ['an open text of escapes', (size) => `{"a":"${'\\"'.repeat(size / 2)}`],
  ['a closed text of escapes', (size) => `{"a":"${'\\"'.repeat(size / 2)}"}`],
  ['blanks', (size) => `{${' '.repeat(size)}}`],
])('a token of 64 KiB that is all %s is judged in linear time', async (_title, textOf) => {
  const workOf = (size: number) => {
    const token = tokenOf(textOf(size))
    return () => decodeToken(token)
  }
  expect(await growth({ workOf, size: 48_000 })).toBeLessThan(LINEAR)
})

test('the skew is allowed for on both sides', () => {
  expect(readLifetime({ exp: 1000, nbf: 500, iat: 400 }, 30)).toEqual({
    startsAt: 470_000,
    endsAt: 1_030_000,
  })
  expect(readLifetime({ exp: 1000.5 }, 0)).toEqual({ startsAt: 0, endsAt: 1_000_500 })
})

test.each([
  [{}, 'REQUIRED_CLAIM_MISSING'],
  [{ exp: null }, 'INVALID_DATE'],
  [{ exp: '1000' }, 'INVALID_DATE'],
  [{ exp: Number.NaN }, 'INVALID_DATE'],
  [{ exp: Number.POSITIVE_INFINITY }, 'INVALID_DATE'],
  [{ exp: -1 }, 'INVALID_DATE'],
  [{ exp: 253_402_300_800 }, 'INVALID_DATE'],
  [{ exp: 1000, nbf: '1' }, 'INVALID_DATE'],
  [{ exp: 1000, iat: {} }, 'INVALID_DATE'],
])('the dates %j are refused with %s', (claims, code) => {
  expect(readLifetime(claims, 30)).toBe(code)
})

test('a lifetime starts with its first millisecond and ends before its last', () => {
  const lifetime = { startsAt: 1000, endsAt: 2000 }
  expect(lifetimeFault(lifetime, 999)).toBe('TOKEN_NOT_YET_VALID')
  expect(lifetimeFault(lifetime, 1000)).toBeUndefined()
  expect(lifetimeFault(lifetime, 1999)).toBeUndefined()
  expect(lifetimeFault(lifetime, 2000)).toBe('TOKEN_EXPIRED')
})
