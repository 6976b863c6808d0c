import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { createFixedKeySource } from './key-source.ts'

const secret = createSecretKey(Buffer.from('a secret that is long enough for it'))
const source = createFixedKeySource(({ kid }) => (kid === 'known' ? [secret] : []))

test('a fixed source has the keys of its query, always in one version', () => {
  expect(source.version()).toBe(1)
  expect(source.find({ kid: 'known', algorithm: 'HS256' })).toEqual({
    type: 'found',
    keys: [secret],
    version: 1,
  })
})

test('a key that a fixed source does not have is unknown, and nobody could be asked about it', () => {
  expect(source.find({ kid: 'other', algorithm: 'HS256' })).toEqual({ type: 'unknown' })
  expect(source.findAfterRefetch({ kid: 'known', algorithm: 'HS256' })).toEqual({ type: 'unknown' })
})

test('a fixed source is ready from the start', async () => {
  expect(source.isFresh()).toBe(true)
  expect(source.warm()).toBeInstanceOf(Promise)
  expect([await source.warm(), source.close()]).toEqual([undefined, undefined])
})
