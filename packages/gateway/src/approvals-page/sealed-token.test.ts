import { randomBytes } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { SESSION_SECONDS, TokenSeal } from './sealed-token.ts'

const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string]
const token = `${'header'.repeat(5)}.${randomBytes(300).toString('base64url')}.signature`

afterEach(() => void vi.useRealTimers())

test('a sealed token opens, and is different each time', () => {
  const seal = new TokenSeal([first])
  const [one = '', other = ''] = [seal.seal(token), seal.seal(token)]
  expect(one).toMatch(/^[\w-]+$/)
  expect(one).not.toBe(other)
  const opened = [one, other].map((sealed) => seal.open(sealed))
  expect(opened.map((session) => session?.token)).toEqual([token, token])
  expect(opened[0]?.id).toMatch(/^[\w-]{16}$/)
  expect(opened[0]?.id).not.toBe(opened[1]?.id)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('signature')
})

test('it opens with any of the secrets and with no other', () => {
  const sealed = new TokenSeal([first]).seal(token) ?? ''
  expect(new TokenSeal([second, first]).open(sealed)?.token).toBe(token)
  expect(new TokenSeal([second, third]).open(sealed)).toBeUndefined()
})

test('every changed, cut or foreign byte is refused', () => {
  const seal = new TokenSeal([first])
  const bytes = Buffer.from(seal.seal('short') ?? '', 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8((changed.readUInt8(index) + 1) % 256, index)
    expect(seal.open(changed.toString('base64url'))).toBeUndefined()
    expect(seal.open(bytes.subarray(0, index).toString('base64url'))).toBeUndefined()
  }
  for (const text of ['', 'x', token, '*'.repeat(100)]) expect(seal.open(text)).toBeUndefined()
})

test('it opens for eight hours', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] })
  const seal = new TokenSeal([first])
  const sealed = seal.seal(token) ?? ''
  vi.advanceTimersByTime(SESSION_SECONDS * 1000 - 1)
  expect(seal.open(sealed)?.token).toBe(token)
  vi.advanceTimersByTime(1)
  expect(seal.open(sealed)).toBeUndefined()
})

test('a token that does not fit into a cookie is not sealed', () => {
  const seal = new TokenSeal([first])
  expect(seal.seal(randomBytes(2_700).toString('base64url'))?.length).toBeLessThanOrEqual(3_900)
  expect(seal.seal(randomBytes(3_000).toString('base64url'))).toBeUndefined()
})
