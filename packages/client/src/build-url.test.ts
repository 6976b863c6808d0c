import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildUrl, readBaseUrl, resolveReference } from './build-url.ts'

const base = (url: string) => readBaseUrl(url)

describe('a base URL', () => {
  test.each([
    '',
    '/api',
    'api.example',
    'ftp://example.com',
    'file:///etc/passwd',
    'http://alice@example.com',
    'http://:secret@example.com',
    'http://example.com/?a=b',
    'http://example.com/#a',
  ])('%j is refused', (url) => {
    expect(() => readBaseUrl(url)).toThrow(TypeError)
  })

  test.each([
    ['http://example.com', 'http://example.com/a'],
    ['http://example.com/', 'http://example.com/a'],
    ['http://example.com/api', 'http://example.com/api/a'],
    ['http://example.com/api//', 'http://example.com/api/a'],
  ])('%s stays in front of every path', (url, address) => {
    expect(buildUrl(base(url), { method: 'GET', path: '/a' }).href).toBe(address)
  })
})

describe('a path', () => {
  test('that begins with two slashes names no other host', () => {
    const url = buildUrl(base('http://example.com'), {
      method: 'GET',
      path: '//evil.example/{a}',
      params: { a: 1 },
    })
    expect(url.href).toBe('http://example.com//evil.example/1')
  })

  test.each(['.', '..', ''])('parameter %j is refused', (a) => {
    expect(() =>
      buildUrl(base('http://example.com'), { method: 'GET', path: '/x/{a}/y', params: { a } }),
    ).toThrow(TypeError)
  })

  test.each(['/a/../b', '/a/%2e%2E/b', '/a/.', 'a', '/a?b', '/a#b', '/a\\b', '/{a}'])(
    '%s is refused',
    (path) => {
      expect(() => buildUrl(base('http://example.com'), { method: 'GET', path })).toThrow(TypeError)
    },
  )

  test('parameter that is not well-formed text is refused', () => {
    expect(() =>
      buildUrl(base('http://example.com'), { method: 'GET', path: '/{a}', params: { a: '\ud800' } }),
    ).toThrow('path parameter {a} is not well-formed text')
  })

  test('parameters named like members of every object have to be given', () => {
    const path = '/{constructor}/{__proto__}'
    expect(() => buildUrl(base('http://example.com'), { method: 'GET', path })).toThrow(
      '{constructor} is missing',
    )
    const params = JSON.parse('{"constructor":"a","__proto__":"b"}')
    expect(buildUrl(base('http://example.com'), { method: 'GET', path, params }).pathname).toBe('/a/b')
  })

  test('parameters of any text come back as they were, each in its own segment', () => {
    const seed = Number(process.env['SEED'])
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => text !== '.' && text !== '..')
    const check = fc.property(segment, segment, fc.string({ unit: 'grapheme' }), (a, b, q) => {
      const url = buildUrl(base('http://example.com/api'), {
        method: 'GET',
        path: '/x/{a}/{b}',
        params: { a, b },
        query: { q },
      })
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'api', 'x', a, b])
      expect(url.origin).toBe('http://example.com')
      expect([...url.searchParams]).toEqual([['q', q]])
      expect(url.hash).toBe('')
    })
    expect(() => fc.assert(check, { seed, numRuns: 500 }), `seed ${seed}`).not.toThrow()
  })
})

describe('a reference of an answer', () => {
  test.each([
    ['http://gw', '/operations/1/status', 'http://gw/operations/1/status'],
    ['http://gw', 'operations/1/status?a=b', 'http://gw/operations/1/status?a=b'],
    ['http://gw', 'http://gw/operations/1', 'http://gw/operations/1'],
    ['http://gw', 'HTTP://GW:80/operations/1', 'http://gw/operations/1'],
    ['http://gw/api', '/operations/1', 'http://gw/api/operations/1'],
    ['http://gw/api/', '/operations/1', 'http://gw/api/operations/1'],
    ['http://gw/api', '/api/operations/1', 'http://gw/api/operations/1'],
    ['http://gw/api', '/apiary/1', 'http://gw/api/apiary/1'],
    ['http://gw/api', 'http://gw/elsewhere', 'http://gw/elsewhere'],
  ])('at %s, %s is %s', (url, reference, address) => {
    expect(resolveReference(base(url), reference)?.href).toBe(address)
  })

  test.each([
    'https://gw/operations/1',
    'http://gw:81/operations/1',
    'http://gw.evil.example/1',
    '//evil.example/1',
    '/\\evil.example/1',
    '\\\\evil.example/1',
    '/\t/evil.example/1',
    ' //evil.example/1',
    'http://gw@evil.example/1',
    'http://alice:secret@gw/1',
    'javascript:alert(1)',
    'data:application/json,{}',
    'file:///etc/passwd',
    'http://',
    'http://[',
  ])('%j is not followed', (reference) => {
    expect(resolveReference(base('http://gw'), reference)).toBeUndefined()
  })

  test('never leads to another origin, whatever it is', () => {
    const seed = Number(process.env['SEED'])
    const part = fc.constantFrom(
      '/',
      '//',
      '\\',
      '\t',
      '\n',
      ' ',
      '@',
      ':',
      'http:',
      'https:',
      'evil',
      'gw',
      '.',
      '?',
      '#',
      '%2f',
    )
    const check = fc.property(
      fc.array(part, { maxLength: 8 }),
      fc.constantFrom('http://gw', 'http://gw/api'),
      (parts, url) => {
        const resolved = resolveReference(base(url), parts.join(''))
        expect(resolved?.origin ?? 'http://gw').toBe('http://gw')
      },
    )
    expect(() => fc.assert(check, { seed, numRuns: 5000 }), `seed ${seed}`).not.toThrow()
  })
})
