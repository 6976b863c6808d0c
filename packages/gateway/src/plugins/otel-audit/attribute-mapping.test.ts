import { expect, it } from 'vitest'
import type { Identity } from '../../exchange.ts'
import { createAttributeMapping, mappableFields } from './attribute-mapping.ts'

const identity = (claims: Identity['claims']): Identity => ({
  subject: 'alice',
  roles: [],
  claims,
  serviceAccount: false,
  tenantClaim: undefined,
})

const source = (claims: Identity['claims'] = {}) => ({
  headers: Object.assign(Object.create(null), { 'x-region': 'eu' }),
  identity: identity(claims),
  route: undefined,
})

it('reads a header in whatever case it is configured', () => {
  const map = createAttributeMapping([{ field: 'region', from_header: 'X-Region' }])
  expect(map(source())).toEqual({ fields: {}, attributes: { region: 'eu' } })
})

it.each([
  ['gold', 'gold'],
  [7, '7'],
  [false, 'false'],
  [['a', 'b'], '["a","b"]'],
  [{ tier: 1 }, '{"tier":1}'],
])('writes the claim %j as %j', (claim, text) => {
  const map = createAttributeMapping([{ field: 'plan', from_claim: 'account.plan' }])
  expect(map(source({ account: { plan: claim } })).attributes).toEqual({ plan: text })
})

it.each([{}, { account: null }, { account: { plan: null } }, { account: 'plan' }])(
  'leaves out a claim that %j does not have',
  (claims) => {
    const map = createAttributeMapping([{ field: 'plan', from_claim: 'account.plan' }])
    expect(map(source(claims)).attributes).toEqual({})
  },
)

it('leaves out what is not there: no header, no identity, no route', () => {
  const map = createAttributeMapping([
    { field: 'a', from_header: 'X-None' },
    { field: 'b', from_claim: 'sub' },
    { field: 'c', from_route_id: true },
  ])
  expect(map({ ...source(), identity: undefined })).toEqual({ fields: {}, attributes: {} })
})

it('leaves out a claim that is nested too deep to be written', () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  const map = createAttributeMapping([{ field: 'deep', from_claim: 'deep' }])
  expect(map(source({ deep })).attributes).toEqual({})
})

it.each(mappableFields)('takes %s as a field of the record', (field) => {
  const map = createAttributeMapping([{ field, from_header: 'x-region' }])
  expect(map(source())).toEqual({ fields: { [field]: 'eu' }, attributes: {} })
})

it('keeps a field named __proto__ as an ordinary key', () => {
  const map = createAttributeMapping([{ field: '__proto__', from_header: 'x-region' }])
  const { attributes } = map(source())
  expect(Object.entries(attributes)).toEqual([['__proto__', 'eu']])
})
