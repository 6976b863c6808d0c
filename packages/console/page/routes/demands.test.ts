import { adminBodies } from '@agentic-rest/profile/admin'
import { expect, test } from 'vitest'
import { demandsOf } from './demands.ts'

const demandsIn = (route: object) => demandsOf(adminBodies.Route.read(route))

test('a route without demands has none', () => {
  expect(demandsIn({ id: 'read', mode: 'json' })).toEqual([])
})

test('roles, scopes, the policy and the rest are demands', () => {
  const route = {
    roles: ['clerk', 'manager'],
    scopes: ['payments:write'],
    allow: 'tenant == "acme"',
    license: 'payments',
    mode: 'sse',
    executionTimeoutSeconds: 30,
    conformance: 'enforce',
  }
  expect(demandsIn(route)).toEqual([
    'role clerk, manager',
    'scope payments:write',
    'allow tenant == "acme"',
    'licence payments',
    'can stream',
    '30 s at most',
    'conformance enforce',
  ])
})
