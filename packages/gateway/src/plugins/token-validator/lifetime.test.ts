import { expect, test } from 'vitest'
import { lifetimeFault, readLifetime } from './lifetime.ts'

test('the skew is allowed for on both sides', () => {
  expect(readLifetime({ exp: 1000, nbf: 500, iat: 400 }, 30)).toEqual({
    startsAt: 470_000,
    endsAt: 1_030_000,
  })
  expect(readLifetime({ exp: 1000.5 }, 0)).toEqual({ startsAt: 0, endsAt: 1_000_500 })
})

test.each([
  [{}, 'REQUIRED_CLAIM_MISSING'],
  [{ exp: null }, 'INVALID_TOKEN'],
  [{ exp: '1000' }, 'INVALID_TOKEN'],
  [{ exp: Number.NaN }, 'INVALID_TOKEN'],
  [{ exp: Number.POSITIVE_INFINITY }, 'INVALID_TOKEN'],
  [{ exp: -1 }, 'INVALID_TOKEN'],
  [{ exp: 253_402_300_800 }, 'INVALID_TOKEN'],
  [{ exp: 1000, nbf: '1' }, 'INVALID_TOKEN'],
  [{ exp: 1000, iat: {} }, 'INVALID_TOKEN'],
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
