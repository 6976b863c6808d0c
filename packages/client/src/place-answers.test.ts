import type { RequiredInput } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { canPlace, placeAnswers } from './place-answers.ts'

const input = (name: string, location: RequiredInput['location']): RequiredInput => ({
  name,
  location,
  type: 'string',
  required: true,
  question: '?',
})
const post = { method: 'POST', path: '/a/{id}' }

describe('an answer', () => {
  test('goes to its place and leaves the rest as it is', () => {
    const request = {
      ...post,
      params: { id: 'old' },
      query: { keep: 1 },
      headers: { Keep: '1' },
      body: { keep: 1 },
    }
    const inputs = [input('id', 'path'), input('q', 'query'), input('X-A', 'header'), input('b', 'body')]
    const placed = placeAnswers(request, inputs, { id: 7, q: [1, 'b'], 'X-A': true, b: { deep: [1] } })
    expect(placed).toEqual({
      ...post,
      params: { id: '7' },
      query: { keep: 1, q: ['1', 'b'] },
      headers: { Keep: '1', 'X-A': 'true' },
      body: { keep: 1, b: { deep: [1] } },
    })
    expect(request.body).toEqual({ keep: 1 })
  })

  test('makes the body that was not there', () => {
    expect(placeAnswers(post, [input('b', 'body')], { b: null })).toEqual({ ...post, body: { b: null } })
  })

  test('to a name in two places goes to both', () => {
    expect(placeAnswers(post, [input('x', 'body'), input('x', 'query')], { x: 1 })).toEqual({
      ...post,
      body: { x: 1 },
      query: { x: '1' },
    })
  })

  test('to nothing that was asked for is none', () => {
    expect(placeAnswers(post, [input('b', 'body')], { other: 1 })).toBeUndefined()
    expect(placeAnswers(post, [input('b', 'body')], { b: undefined })).toBeUndefined()
    expect(placeAnswers(post, [input('toString', 'body')], {})).toBeUndefined()
  })

  test('named __proto__ is a member like any other', () => {
    const answers = JSON.parse('{"__proto__":{"admin":true}}')
    const placed = placeAnswers(post, [input('__proto__', 'body'), input('__proto__', 'query')], answers)
    expect(JSON.stringify(placed?.body)).toBe('{"__proto__":{"admin":true}}')
    expect((placed?.body as { admin?: true } | undefined)?.admin).toBeUndefined()
    expect(Object.keys(placed?.query ?? {})).toEqual(['__proto__'])
  })
})

describe('an input has a place', () => {
  test.each([
    [input('goal', 'body'), post],
    [input('goal', 'body'), { ...post, body: {} }],
    [input('anything', 'query'), post],
    [input('id', 'path'), post],
    [input('X-Region', 'header'), post],
  ])('%j', (asked, request) => {
    expect(canPlace(request, asked)).toBe(true)
  })
})

describe('an input has no place', () => {
  test.each([
    [input('goal', 'body'), { ...post, body: [1] }],
    [input('goal', 'body'), { ...post, body: 'text' }],
    [input('goal', 'body'), { ...post, method: 'get' }],
    [input('other', 'path'), post],
    [input('Authorization', 'header'), post],
    [input('authorization', 'header'), post],
    [input('X-Tenant-ID', 'header'), post],
    [input('x-actor-principal', 'header'), post],
    [input('X-Approval-Token', 'header'), post],
    [input('Idempotency-Key', 'header'), post],
    [input('Cookie', 'header'), post],
    [input('Host', 'header'), post],
    [input('X-A: b\r\nX-B', 'header'), post],
  ])('%j', (asked, request) => {
    expect(canPlace(request, asked)).toBe(false)
  })
})
