import { expect, test } from 'vitest'
import { createFixedKeySource } from './key-set.ts'
import { createTokenCache, tokenCacheLimits, type VerifiedToken } from './token-cache.ts'

const keys = createFixedKeySource(() => [])

function verifiedFor(subject: string): VerifiedToken {
  const identity = {
    issuer: 'https://id.example.test',
    subject,
    roles: [],
    scopes: [],
    claims: {},
    serviceAccount: false,
    serviceTenants: undefined,
    tenantClaim: undefined,
  }
  return { identity, lifetime: { startsAt: 0, endsAt: Number.MAX_VALUE }, keys, keysVersion: 1 }
}

test('what was used last stays, what was used longest ago goes, when there are too many', () => {
  const cache = createTokenCache('v1')
  const { maxTokens } = tokenCacheLimits
  for (let i = 0; i < maxTokens; i++) cache.set(`t${i}`, verifiedFor(`s${i}`))
  expect(cache.get('t0')?.subject).toBe('s0')
  cache.set('one more', verifiedFor('x'))
  expect(cache.get('t0')?.subject).toBe('s0')
  expect(cache.get('t1')).toBeUndefined()
})

test('long tokens are counted by their bytes', () => {
  const cache = createTokenCache('v1')
  const length = 65_536
  const count = tokenCacheLimits.maxBytes / length
  for (let i = 0; i <= count; i++) cache.set(String(i).padEnd(length), verifiedFor('x'))
  expect(cache.get('0'.padEnd(length))).toBeUndefined()
  expect(cache.get('1'.padEnd(length))?.subject).toBe('x')
})

test('a token is forgotten when the keys are no longer those it was checked with', () => {
  let version: number | undefined = 1
  const cache = createTokenCache('v1')
  cache.set('t', { ...verifiedFor('x'), keys: { ...keys, version: () => version } })
  expect(cache.get('t')?.subject).toBe('x')
  version = undefined
  expect(cache.get('t')).toBeUndefined()
  version = 1
  expect(cache.get('t')).toBeUndefined()
})

test('more tokens than are found by themselves are all found, again and again', () => {
  const cache = createTokenCache('v1')
  for (let i = 0; i < 3000; i++) cache.set(`t${i}`, verifiedFor(`s${i}`))
  for (let round = 0; round < 3; round++)
    for (let i = 0; i < 3000; i++) expect(cache.get(`t${i}`)?.subject).toBe(`s${i}`)
  expect(cache.get('t3000')).toBeUndefined()
})

test('tokens with the same end are told apart', () => {
  const cache = createTokenCache('v1')
  const end = 'x'.repeat(100)
  cache.set(`a${end}`, verifiedFor('a'))
  cache.set(`b${end}`, verifiedFor('b'))
  for (let round = 0; round < 3; round++) {
    expect(cache.get(`a${end}`)?.subject).toBe('a')
    expect(cache.get(`b${end}`)?.subject).toBe('b')
    expect(cache.get(`c${end}`)).toBeUndefined()
    expect(cache.get(end)).toBeUndefined()
  }
})

test('a token that was looked for in vain is kept under its own digest', () => {
  const cache = createTokenCache('v1')
  expect([cache.get('first'), cache.get('second')]).toEqual([undefined, undefined])
  cache.set('first', verifiedFor('s1'))
  cache.set('second', verifiedFor('s2'))
  expect([cache.get('first')?.subject, cache.get('second')?.subject]).toEqual(['s1', 's2'])
})
