import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillUrl } from './fill-url.ts'

const path = 'http://127.0.0.1:8086/principals/{principal}'
const query = 'http://127.0.0.1:8086/principals?name={principal}&full=1'

describe('a value in the path', () => {
  test.each([
    ['alice', 'alice'],
    ['../admin', '..%2Fadmin'],
    ['a/../../b', 'a%2F..%2F..%2Fb'],
    ['x?x=1', 'x%3Fx%3D1'],
    ['x#y', 'x%23y'],
    ['%2f', '%252f'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b', 'a%5Cb'],
    ['a b\r\nX: y', 'a%20b%0D%0AX%3A%20y'],
    ['Zoë 中 😀', 'Zo%C3%AB%20%E4%B8%AD%20%F0%9F%98%80'],
    ['__proto__', '__proto__'],
    ['$&$1$`', '%24%26%241%24%60'],
    ['{principal}', '%7Bprincipal%7D'],
    ["it's(1)!*", 'it%27s%281%29%21%2A'],
    ['...', '...'],
    ['auth0|5f7c', 'auth0%7C5f7c'],
  ])('%j is encoded as %s', (principal, encoded) => {
    expect(fillUrl(path, { principal })).toBe(`http://127.0.0.1:8086/principals/${encoded}`)
  })

  test.each(['', '.', '..', '\ud800', 'a\udfff'])('%j cannot be asked about', (principal) => {
    expect(fillUrl(path, { principal })).toBeUndefined()
  })
})

test('dots are ordinary characters beside a literal and in the query', () => {
  expect(fillUrl('http://h/p/{principal}.json', { principal: '..' })).toBe('http://h/p/...json')
  expect(fillUrl(query, { principal: '..' })).toBe('http://127.0.0.1:8086/principals?name=..&full=1')
})

test('dots that become a dot segment with their surroundings cannot be asked about', () => {
  expect(fillUrl('http://h/p/.{principal}', { principal: '.' })).toBeUndefined()
  expect(fillUrl('http://h/p/%2e{principal}/x', { principal: '.' })).toBeUndefined()
  expect(fillUrl('http://h/{tenant}{feature}', { tenant: '.', feature: '.' })).toBeUndefined()
})

test('a value never fills the placeholder of another', () => {
  expect(fillUrl('http://h/{tenant}/{feature}', { tenant: '{feature}', feature: 'x' })).toBe(
    'http://h/%7Bfeature%7D/x',
  )
})

test('a placeholder is filled wherever it stands', () => {
  expect(fillUrl('http://h/{tenant}/x?t={tenant}', { tenant: 'a' })).toBe('http://h/a/x?t=a')
})

describe('for any value', () => {
  const seed = Date.now()
  const values = fc.string({ unit: 'binary', maxLength: 20 })

  test(`the URL standard reads back exactly the value (seed ${seed})`, () => {
    fc.assert(
      fc.property(values, (principal) => {
        const url = fillUrl(path, { principal })
        if (url === undefined)
          return principal === '' || /^\.{1,2}$/.test(principal) || !principal.isWellFormed()
        const { origin, pathname, search, hash } = new URL(url)
        const [, first, last, ...rest] = pathname.split('/')
        expect([origin, first, search, hash, rest]).toEqual([
          'http://127.0.0.1:8086',
          'principals',
          '',
          '',
          [],
        ])
        return decodeURIComponent(last ?? '') === principal
      }),
      { seed, numRuns: 2_000 },
    )
  })

  test(`a query parameter reads back exactly the value and adds no other (seed ${seed})`, () => {
    fc.assert(
      fc.property(values, (principal) => {
        const url = fillUrl(query, { principal })
        if (url === undefined) return principal === '' || !principal.isWellFormed()
        const { pathname, searchParams } = new URL(url)
        expect([pathname, ...searchParams]).toEqual(['/principals', ['name', principal], ['full', '1']])
        return true
      }),
      { seed, numRuns: 2_000 },
    )
  })
})
