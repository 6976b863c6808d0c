import type { OutcomeType } from '@agentic-rest/profile'
import { afterEach, expect, it, vi } from 'vitest'
import { makeExchange, makeHeaders, makeIdentity } from '../../../test/plugins/make-exchange.ts'
import { mappableFields } from '../../config/audit-fields.ts'
import type { AuditAttribute } from '../../config/config-schema.ts'
import type { Exchange, Identity } from '../../exchange.ts'
import { beginEvent, completeEvent, createAttributeMapping, eventTypes, isoTime } from './audit-event.ts'

afterEach(() => vi.useRealTimers())

const begin = (exchange: Exchange, attributes: readonly AuditAttribute[] = []) =>
  beginEvent(exchange, eventTypes.received, createAttributeMapping(attributes))

const answered = (status: number, outcomeType?: OutcomeType) => ({
  status,
  label: outcomeType ?? 'untyped_2xx',
  outcomeType,
})

const request = (overrides: Partial<Exchange> = {}) =>
  makeExchange({ identity: makeIdentity(), actor: 'alice', tenantId: 'acme', ...overrides })

it('takes every field from its source', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 6), toFake: ['Date'] })
  const params = Object.assign(Object.create(null), { campaignId: 'c-1', optimizationId: 'o-9' })
  expect(begin(request({ params }))).toEqual({
    event_type: 'agentic.request.received',
    tenant_id: 'acme',
    actor_id: 'alice',
    request_id: 'req-1',
    correlation_id: 'corr-1',
    operation: 'create-optimization',
    resource_id: 'o-9',
    outcome: '',
    timestamp: '2026-01-02T03:04:05.006Z',
    attributes: {},
  })
})

it.each([0, 7, 42, 999, 1000, 86_399_999, -1])(
  'writes the time %i ms after a day begins as toISOString does',
  (ms) => {
    const time = Date.UTC(2026, 1, 28) + ms
    expect(isoTime(time)).toBe(new Date(time).toISOString())
  },
)

it('has empty fields where nothing is known, and names a request without a route unmatched', () => {
  const event = begin(makeExchange({ route: undefined, params: Object.create(null) }))
  expect(event).toEqual(
    expect.objectContaining({ tenant_id: '', actor_id: '', operation: 'unmatched', resource_id: '' }),
  )
})

it('does not believe the tenant header of a request that was not let in', () => {
  const headers = makeHeaders({ 'X-Tenant-ID': 'globex' })
  expect(begin(makeExchange({ headers })).tenant_id).toBe('')
})

it.each([
  ['tenant_id', { from_claim: 'org' }, 'org-1'],
  ['actor_id', { from_header: 'X-Region' }, 'eu'],
  ['request_id', { from_header: 'X-Region' }, 'eu'],
  ['correlation_id', { from_header: 'X-Region' }, 'eu'],
  ['operation', { from_route_id: true }, 'create-optimization'],
  ['resource_id', { from_claim: 'org' }, 'org-1'],
] as const)('a mapped %s replaces the source of that field', (field, source, value) => {
  const exchange = request({
    headers: makeHeaders({ 'X-Region': 'eu' }),
    identity: makeIdentity({ claims: { org: 'org-1' } }),
  })
  expect(begin(exchange, [{ field, ...source }])).toEqual(
    expect.objectContaining({ [field]: value, attributes: {} }),
  )
})

it('keeps the own source of a field whose mapped source is absent', () => {
  expect(begin(request(), [{ field: 'tenant_id', from_header: 'X-None' }]).tenant_id).toBe('acme')
})

it('puts any other mapped field into attributes', () => {
  const exchange = request({ headers: makeHeaders({ 'X-Region': 'eu' }) })
  const attributes = [
    { field: 'region', from_header: 'X-Region' },
    { field: 'who', from_claim: 'sub' },
    { field: 'route', from_route_id: true },
  ] as const
  expect(begin(exchange, attributes).attributes).toEqual({
    region: 'eu',
    who: 'alice',
    route: 'create-optimization',
  })
})

it.each([
  [200, 'success'],
  [201, 'success'],
  [202, 'success'],
  [204, 'success'],
  [304, 'error'],
  [400, 'error'],
  [403, 'error'],
  [412, 'error'],
  [429, 'error'],
  [500, 'error'],
] as const)('calls the status %d %s', (status, outcome) => {
  const exchange = request({ result: answered(status) })
  expect(completeEvent(begin(exchange), exchange).outcome).toBe(outcome)
})

it('calls an exchange without a result an error', () => {
  const exchange = request()
  expect(completeEvent(begin(exchange), exchange).outcome).toBe('error')
})

const CALLER = { issuer: 'https://id.example.test', token_sub: 'alice' }
const answeredWith = (status: number) => ({ ...CALLER, client_address: '127.0.0.1', status: String(status) })

it('names the typed outcome, and none when there is none', () => {
  const typed = request({ result: answered(400, 'clarification_required') })
  expect(completeEvent(begin(typed), typed).attributes).toEqual({
    ...answeredWith(400),
    outcome_type: 'clarification_required',
  })
  const untyped = request({ result: answered(200) })
  expect(completeEvent(begin(untyped), untyped).attributes).toEqual(answeredWith(200))
})

it('names the rules that the answer broke', () => {
  const exchange = request({ result: answered(200), violations: ['status', 'media-type'] })
  expect(completeEvent(begin(exchange), exchange).attributes).toEqual({
    ...answeredWith(200),
    profile_violations: 'status,media-type',
    rule: 'status,media-type',
  })
})

it('names the limit that refused the request', () => {
  const exchange = request({ result: answered(429), limit: 'max_in_flight' })
  expect(completeEvent(begin(exchange), exchange).attributes).toEqual({
    ...answeredWith(429),
    limit: 'max_in_flight',
  })
})

it('names the subject of the token when somebody else acts', () => {
  const exchange = request({ actor: 'bob', result: answered(201, 'created') })
  expect(completeEvent(begin(exchange), exchange)).toEqual(
    expect.objectContaining({
      actor_id: 'bob',
      attributes: { ...answeredWith(201), outcome_type: 'created' },
    }),
  )
})

it('names the subject also when a mapping replaced the actor', () => {
  const exchange = request({ headers: makeHeaders({ 'X-Alias': 'mallory' }), result: answered(200) })
  const event = begin(exchange, [{ field: 'actor_id', from_header: 'X-Alias' }])
  expect(completeEvent(event, exchange)).toEqual(
    expect.objectContaining({ actor_id: 'mallory', attributes: answeredWith(200) }),
  )
})

it('lets no mapped attribute stand for what the gateway knows', () => {
  const exchange = request({
    actor: 'bob',
    headers: makeHeaders({ 'X-Alias': 'forged' }),
    violations: ['schema'],
    result: answered(200, 'success'),
  })
  const fields = [
    'token_sub',
    'issuer',
    'outcome_type',
    'profile_violations',
    'status',
    'client_address',
    'rule',
  ]
  const event = begin(
    exchange,
    fields.map((field) => ({ field, from_header: 'X-Alias' })),
  )
  expect(completeEvent(event, exchange).attributes).toEqual({
    ...answeredWith(200),
    outcome_type: 'success',
    profile_violations: 'schema',
    rule: 'schema',
  })
})

const identity = (claims: Identity['claims']): Identity => ({
  issuer: 'https://id.example.test',
  subject: 'alice',
  roles: [],
  scopes: [],
  claims,
  serviceAccount: false,
  serviceTenants: undefined,
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
