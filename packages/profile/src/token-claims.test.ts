import { expect, test } from 'vitest'
import { claimsOf, readClaim } from './token-claims.ts'

test('the claims of a JWT are its payload; other tokens have none', () => {
  expect(claimsOf(`x.${btoa('{"sub":"alice"}')}.y`)).toEqual({ sub: 'alice' })
  for (const token of ['', 'opaque', 'a.b.c', `x.${btoa('null')}.y`]) expect(claimsOf(token)).toEqual({})
})

test('a claim is found by its own name first, then by the path, never by an inherited name', () => {
  const claims = { 'a.b': 1, a: { b: 2, c: 3 } }
  expect(['a.b', 'a.c', 'a.d', 'a.b.c', 'toString'].map((path) => readClaim(claims, path))).toEqual([
    1,
    3,
    undefined,
    undefined,
    undefined,
  ])
})
