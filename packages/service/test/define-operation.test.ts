import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, type Method, type RunContext, success } from '../src/index.ts'

const run = () => success({})

describe('a definition that cannot work is refused when it is made, by the name of its operation', () => {
  it.each([
    ['campaigns', 'GET'],
    ['/campaigns//x', 'GET'],
    ['/a/{b}-{c}', 'GET'],
    ['/a/{b', 'GET'],
    ['/a/:b', 'GET'],
    ['/a/*', 'GET'],
    ['/a?b=1', 'GET'],
    ['/a/..', 'GET'],
    ['/a/{0}', 'GET'],
    ['/a b', 'GET'],
  ] as const)('the path %s', (path, method) => {
    expect(() => defineOperation({ id: 'op', method, path, run })).toThrow(
      `operation op: its path ${path} has to be a slash and segments that are literals or one {parameter}`,
    )
  })

  it('a parameter twice', () => {
    expect(() => defineOperation({ id: 'op', method: 'GET', path: '/a/{b}/{b}', run })).toThrow(
      'operation op: its path /a/{b}/{b} names a parameter twice',
    )
  })

  it.each(['', 'a b', 'ä', 'x'.repeat(129)])('the id %j', (id) => {
    expect(() => defineOperation({ id, method: 'GET', path: '/', run })).toThrow('its id has to be 1 to 128')
  })

  it('another method', () => {
    expect(() => defineOperation({ id: 'op', method: 'TRACE' as Method, path: '/', run })).toThrow(
      'operation op: its method has to be one of GET, POST, PUT, PATCH, DELETE',
    )
  })

  it('a place for something that is no input', () => {
    const input = z.object({ a: z.string() })
    expect(() =>
      defineOperation({ id: 'op', method: 'GET', path: '/', input, locations: { b: 'query' }, run }),
    ).toThrow('operation op: it places b, which is not one of its inputs')
  })

  it('an input that is said to be in the path and is not, or the other way round', () => {
    const input = z.object({ a: z.string() })
    expect(() =>
      defineOperation({ id: 'op', method: 'GET', path: '/', input, locations: { a: 'path' }, run }),
    ).toThrow('operation op: its input a is placed in the path, but its path says otherwise')
    expect(() =>
      defineOperation({ id: 'op', method: 'GET', path: '/{a}', input, locations: { a: 'query' }, run }),
    ).toThrow('operation op: its input a is placed in the query, but its path says otherwise')
  })

  it.each(['accept', 'release'] as const)('%s of an operation that is never in the background', (hook) => {
    const hooks = { [hook]: () => undefined }
    expect(() => defineOperation({ id: 'op', method: 'POST', path: '/', run, ...hooks })).toThrow(
      `operation op: it has ${hook} but is not async`,
    )
  })

  it('a body of GET', () => {
    const input = z.object({ a: z.string() })
    expect(() =>
      defineOperation({ id: 'op', method: 'GET', path: '/', input, locations: { a: 'body' }, run }),
    ).toThrow('operation op: its input a cannot be in the body of GET')
  })
})

it('types parameters by the path and inputs by the schema', () => {
  defineOperation({
    id: 'op',
    method: 'POST',
    path: '/a/{first}/b/{second}',
    input: z.object({ count: z.int().default(1) }),
    approval: {
      role: 'boss',
      when: ({ input, params }) => {
        expectTypeOf(input).toEqualTypeOf<{ count: number }>()
        expectTypeOf(params.first).toEqualTypeOf<string>()
        return false
      },
    },
    run: (context) => {
      expectTypeOf(context).toExtend<
        RunContext<{ count: number }, { readonly first: string; readonly second: string }>
      >()
      expectTypeOf(context.params).toEqualTypeOf<{ readonly first: string; readonly second: string }>()
      return success({})
    },
  })
  const plain = defineOperation({
    id: 'op',
    method: 'GET',
    path: '/a',
    run: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<undefined>()
      return success({})
    },
  })
  expect(plain.parameters).toEqual([])
})
