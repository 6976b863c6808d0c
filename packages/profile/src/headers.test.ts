import { expect, it } from 'vitest'
import { headerKeys, headers, headerValue } from './headers.ts'

it('spells the names of the specification', () => {
  expect(headers).toMatchObject({
    correlationId: 'X-Correlation-ID',
    requestId: 'X-Request-ID',
    tenantId: 'X-Tenant-ID',
    actorPrincipal: 'X-Actor-Principal',
    idempotencyKey: 'Idempotency-Key',
    profile: 'X-Agentic-Profile',
  })
})

it('has every name in lower case too', () => {
  expect(headerKeys.correlationId).toBe('x-correlation-id')
  expect(Object.values(headerKeys)).toEqual(Object.values(headers).map((name) => name.toLowerCase()))
})

it('finds a header whatever its case, and joins what is repeated', () => {
  expect(headerValue({ 'CONTENT-type': 'a/b' }, 'Content-Type')).toBe('a/b')
  expect(headerValue({ 'x-a': ['1', '2'] }, 'X-A')).toBe('1, 2')
  expect(headerValue({ 'x-a': '1', 'X-A': '2' }, 'x-a')).toBe('1, 2')
  expect(headerValue(new Headers({ 'X-A': '1' }), 'x-a')).toBe('1')
})

it('finds nothing where there is nothing', () => {
  expect(headerValue({ 'x-a': undefined }, 'x-a')).toBeUndefined()
  expect(headerValue({ 'x-a': null } as never, 'x-a')).toBeUndefined()
  expect(headerValue({}, 'constructor')).toBeUndefined()
  expect(headerValue(new Headers(), 'x-a')).toBeUndefined()
})
