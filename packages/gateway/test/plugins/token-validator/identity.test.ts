import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeValidator, refusedWith, registered } from './make-validator.ts'

let issuer: IssuerServer
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.close())

/** Sends one token to a validator with these claim paths. */
async function sendWith(mapping: Record<string, unknown>, claims: Record<string, unknown>) {
  const validator = makeValidator({ issuers: [registered(issuer, mapping)], required_claims: [] })
  const sent = await validator.send(await issuer.token({ claims }))
  await validator.close()
  return sent
}

describe('the subject', () => {
  test('is read at the configured dotted path', async () => {
    const { exchange } = await sendWith({ claims: { subject: 'user.id' } }, { user: { id: 'u-7' } })
    expect(exchange.identity?.subject).toBe('u-7')
    expect(exchange.actor).toBe('u-7')
  })

  test('may be a claim with dots in its own name', async () => {
    const mapping = { claims: { subject: 'https://example.test/id' } }
    const { exchange } = await sendWith(mapping, { 'https://example.test/id': 'u-8' })
    expect(exchange.identity?.subject).toBe('u-8')
  })

  test('is missing when the path leads nowhere, even through a prototype', async () => {
    const { answer } = await sendWith({ claims: { subject: 'user.constructor.name' } }, { user: {} })
    expect(answer).toEqual(refusedWith('REQUIRED_CLAIM_MISSING'))
  })

  test.each([' alice', 'alice ', 'a\r\nb', 'a\u0000b', 'ålice', 'a'.repeat(257), 7, {}, ['alice'], true])(
    'is refused when it cannot be sent in a header: %j',
    async (sub) => expect((await sendWith({}, { sub })).answer).toEqual(refusedWith('INVALID_TOKEN')),
  )

  test.each(['a', 'auth0|5f7c8ec7', 'First Last <a@b.test>', '~'.repeat(256)])(
    '%j is taken as it is',
    async (sub) => {
      expect((await sendWith({}, { sub })).exchange.identity?.subject).toBe(sub)
    },
  )
})

describe('roles', () => {
  test.each([
    { roles: ['a', 'campaign:optimize'], read: ['a', 'campaign:optimize'] },
    { roles: 'a b,c, d', read: ['a', 'b', 'c', 'd'] },
    { roles: 'solo', read: ['solo'] },
    { roles: ['two words'], read: ['two words'] },
    { roles: ['a', 'a', 'b'], read: ['a', 'b'] },
    { roles: ['a', 7, null, ['b'], { c: 1 }, 'd'], read: ['a', 'd'] },
    { roles: ['x,admin', 'a\r\nX: y', 'ünï', '', ' lead', 'trail ', 'ok'], read: ['ok'] },
    { roles: '', read: [] },
    { roles: undefined, read: [] },
    { roles: { admin: true }, read: [] },
    { roles: 7, read: [] },
  ])('of the claim $roles are $read', async ({ roles, read }) => {
    const { answer, exchange } = await sendWith({}, { roles })
    expect(answer).toBeUndefined()
    expect(exchange.identity?.roles).toEqual(read)
  })

  test('are read at the configured dotted path', async () => {
    const mapping = { claims: { roles: 'realm_access.roles' } }
    const { exchange } = await sendWith(mapping, { realm_access: { roles: ['r'] }, roles: ['not-these'] })
    expect(exchange.identity?.roles).toEqual(['r'])
  })
})

describe('the tenant claim', () => {
  test('is handed on when the issuer names one', async () => {
    const { exchange } = await sendWith({ claims: { tenant: 'org.id' } }, {})
    expect(exchange.identity?.tenantClaim).toBe('org.id')
  })

  test('is left to tenant-injector otherwise', async () => {
    expect((await sendWith({}, { tenant_id: 'acme' })).exchange.identity?.tenantClaim).toBeUndefined()
  })
})

test('a service account is told from the configuration of its issuer, never from its claims', async () => {
  expect((await sendWith({ service_account: true }, {})).exchange.identity?.serviceAccount).toBe(true)
  expect((await sendWith({}, { service_account: true })).exchange.identity?.serviceAccount).toBe(false)
})

test('a claim named __proto__ is a claim like any other', async () => {
  const claims = JSON.parse('{"__proto__":{"roles":["admin"],"sub":"root"},"roles":["user"]}')
  const { exchange } = await sendWith({}, claims)
  expect(exchange.identity?.roles).toEqual(['user'])
  expect(exchange.identity?.subject).toBe('alice')
  expect(({} as Record<string, unknown>)['roles']).toBeUndefined()
})
