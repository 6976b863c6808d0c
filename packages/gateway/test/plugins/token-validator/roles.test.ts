import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let validator: TestValidator
beforeAll(async () => {
  issuer = await startIssuer()
  validator = makeValidator({ issuers: [registered(issuer)] })
})
afterAll(() => Promise.all([issuer.close(), validator.close()]))

test.each([
  { has: ['a', 'b', 'c'], needs: ['c', 'a'] },
  { has: [], needs: [] },
  { has: ['a'], needs: ['a'] },
])('a caller with $has may use a route that needs $needs', async ({ has, needs }) => {
  const token = await issuer.token({ claims: { roles: has } })
  expect((await validator.send(token, { roles: needs })).answer).toBeUndefined()
})

test.each([
  { has: ['a'], needs: ['a', 'b'] },
  { has: [], needs: ['a'] },
  { has: ['A'], needs: ['a'] },
  { has: ['ab'], needs: ['a'] },
  { has: ['a,b'], needs: ['a'] },
])('a caller with $has may not use a route that needs $needs', async ({ has, needs }) => {
  const token = await issuer.token({ claims: { roles: has } })
  const { answer, exchange } = await validator.send(token, { roles: needs })
  expect(answer).toEqual(refusedWith('INSUFFICIENT_ROLES'))
  // The audit record of a refused request can still name the caller.
  expect(exchange.identity?.subject).toBe('alice')
  expect(exchange.actor).toBe('alice')
})

test('roles are checked for a cached token too, route by route', async () => {
  const token = await issuer.token({ claims: { roles: ['a'] } })
  expect((await validator.send(token, { roles: ['a'] })).answer).toBeUndefined()
  expect((await validator.send(token, { roles: ['b'] })).answer).toEqual(refusedWith('INSUFFICIENT_ROLES'))
  expect((await validator.send(token, { roles: ['a'] })).answer).toBeUndefined()
})

test('a token that is not valid is unauthenticated, whatever roles the route needs', async () => {
  expect((await validator.send(undefined, { roles: ['a'] })).answer).toEqual(refusedWith('MISSING_TOKEN'))
})
