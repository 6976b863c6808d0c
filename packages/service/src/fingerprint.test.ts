import { describe, expect, it, test } from 'vitest'
import { type DigestedRequest, fingerprint, fingerprintFor } from './fingerprint.ts'
import type { InputField } from './input/input-fields.ts'
import type { Operation } from './operation.ts'

const fields = [
  { name: 'X-Region', location: 'header' },
  { name: 'goal', location: 'body' },
  { name: 'limit', location: 'query' },
] as InputField[]
const operation = { method: 'POST', fields: new Map(fields.map((field) => [field.name, field])) } as Pick<
  Operation,
  'method' | 'fields'
>

/** The digest of a request with defaults for missing parts. */
function digest(
  overrides: Partial<DigestedRequest> & { readonly path?: string; readonly method?: string } = {},
) {
  const { path = '/notes/1', method = 'POST', ...rest } = overrides
  return fingerprint({
    match: { operation: { ...operation, method } as Operation, params: {}, path },
    query: new URLSearchParams(),
    headers: new Headers(),
    body: { goal: 'ctr' },
    ...rest,
  })
}

test('a digest is SHA-256 in small hexadecimal digits', async () => {
  expect(await fingerprintFor({ subject: 'alice' }, 'digest')).toBe(
    // printf '["digest","alice"]' | sha256sum
    '0c2972310fabfc3e7d25b239b05aaea6b505a7a7feea075a1ee530861f963934',
  )
})

describe('another request has another digest', () => {
  it.each<[string, Parameters<typeof digest>[0]]>([
    ['path', { path: '/notes/2' }],
    ['method', { method: 'PUT' }],
    ['query', { query: new URLSearchParams('limit=1') }],
    ['input in a header', { headers: new Headers({ 'x-region': 'eu' }) }],
    ['body', { body: { goal: 'reach' } }],
  ])('by its %s', async (_what, overrides) => {
    expect(await digest(overrides)).not.toBe(await digest())
  })

  it('by the value of an input in a header', async () => {
    const inRegion = (region: string) => digest({ headers: new Headers({ 'X-Region': region }) })
    expect(await inRegion('eu')).not.toBe(await inRegion('us'))
    expect(await inRegion('eu')).toBe(await inRegion('eu'))
  })

  it('by the order of two values of one name', async () => {
    const inOrder = (text: string) => digest({ query: new URLSearchParams(text) })
    expect(await inOrder('a=1&a=2')).not.toBe(await inOrder('a=2&a=1'))
  })
})

describe('the same request has the same digest', () => {
  it('whatever headers come with it that are no inputs', async () => {
    const headers = new Headers({ goal: 'x', limit: '7', 'x-request-id': 'r', authorization: 'Bearer a' })
    expect(await digest({ headers })).toBe(await digest())
  })

  it('whatever the order of names', async () => {
    const inOrder = (text: string) => digest({ query: new URLSearchParams(text) })
    expect(await inOrder('b=1&a=2&c=3')).toBe(await inOrder('c=3&a=2&b=1'))
    expect(await digest({ body: { b: 1, a: { d: 1, c: 2 } } })).toBe(
      await digest({ body: { a: { c: 2, d: 1 }, b: 1 } }),
    )
  })
})

test('for another person it is another digest', async () => {
  expect(await fingerprintFor({ subject: 'alice' }, 'digest')).not.toBe(
    await fingerprintFor({ subject: 'bob' }, 'digest'),
  )
})
