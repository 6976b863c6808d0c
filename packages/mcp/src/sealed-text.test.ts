import { describe, expect, test } from 'vitest'
import { systemEnvironment } from './environment.ts'
import { createSeal, MAX_SEALED_CHARACTERS } from './sealed-text.ts'

const secret = 'a secret of at least thirty-two bytes'
const publicUrl = 'https://agents.example.com/mcp'
const make = (secrets = [secret], url = publicUrl) =>
  createSeal({ secrets, publicUrl: url, environment: systemEnvironment })

describe('a sealed text', () => {
  test('has four parts and opens to its value', () => {
    const text = make().seal('state', { a: [1, 'ü'] })
    expect(text).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/)
    expect(make().open('state', text)).toEqual({ a: [1, 'ü'] })
  })

  test('does not open after the change of any one bit', () => {
    const seal = make()
    const text = seal.seal('state', { approvalToken: 'secret' })
    for (let index = 0; index < text.length; index += 1) {
      for (let bit = 0; bit < 7; bit += 1) {
        const changed = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit))
        expect(seal.open('state', text.slice(0, index) + changed + text.slice(index + 1))).toBeUndefined()
      }
    }
  })

  test('does not open for another use, another endpoint or another secret', () => {
    const text = make().seal('state', {})
    expect(make().open('task', text)).toBeUndefined()
    expect(make().open('session', text)).toBeUndefined()
    expect(make([secret], 'https://other.example.com/mcp').open('state', text)).toBeUndefined()
    expect(make(['another secret of thirty-two bytes!!']).open('state', text)).toBeUndefined()
  })

  test('opens with every secret of a rotation, and the first one seals', () => {
    const next = 'the next secret, also of thirty-two bytes'
    const old = make().seal('state', 1)
    expect(make([next, secret]).open('state', old)).toBe(1)
    expect(make([secret]).open('state', make([next, secret]).seal('state', 2))).toBeUndefined()
  })

  test.each(['', 'v1', 'v1.a.b', 'v2.a.b.c', 'v1.a.b.c.d', 'x'.repeat(MAX_SEALED_CHARACTERS + 1)])(
    'is nothing of the form %.20s',
    (text) => {
      expect(make().open('state', text)).toBeUndefined()
    },
  )
})

test('a short secret and no secret are refused', () => {
  expect(() => make(['short'])).toThrow('a secret has at least 32 bytes')
  expect(() => make([])).toThrow('a seal needs at least one secret')
})
