import { expect, test } from 'vitest'
import { Seal } from './seal.ts'

const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string]
const text = 'a secret text'

test('a sealed text opens, and is different each time', () => {
  const seal = new Seal([first])
  const [one, other] = [seal.seal(text, 'x'), seal.seal(text, 'x')]
  expect(one).toMatch(/^[\w-]+$/)
  expect(one).not.toBe(other)
  expect([one, other].map((sealed) => seal.open(sealed, 'x'))).toEqual([text, text])
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('secret')
})

test('it opens with any of the secrets and with no other', () => {
  const sealed = new Seal([first]).seal(text, 'x')
  expect(new Seal([second, first]).open(sealed, 'x')).toBe(text)
  expect(new Seal([second, third]).open(sealed, 'x')).toBeUndefined()
})

test('it opens for its purpose only', () => {
  const seal = new Seal([first])
  expect(seal.open(seal.seal(text, 'main a.example'), 'main b.example')).toBeUndefined()
})

test('every changed, cut or foreign byte is refused', () => {
  const seal = new Seal([first])
  const bytes = Buffer.from(seal.seal('short', 'x'), 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8((changed.readUInt8(index) + 1) % 256, index)
    expect(seal.open(changed.toString('base64url'), 'x')).toBeUndefined()
    expect(seal.open(bytes.subarray(0, index).toString('base64url'), 'x')).toBeUndefined()
  }
  for (const foreign of ['', 'x', text, '*'.repeat(100)]) expect(seal.open(foreign, 'x')).toBeUndefined()
})
