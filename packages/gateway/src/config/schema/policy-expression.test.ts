import { describe, expect, test } from 'vitest'
import { checkPolicy, compilePolicy, type PolicyContext } from './policy-expression.ts'

const facts: PolicyContext = {
  subject: 'alice',
  roles: ['writer'],
  scopes: ['campaigns.write'],
  tenant: 'acme',
  claims: { groups: ['night-shift'], level: 3, admin: true, org: { unit: 'a' } },
  service_account: false,
  route: 'create-optimization',
  method: 'POST',
  params: { campaignId: 'big-1' },
  query: { dry: ['true', 'no'] },
  headers: { 'x-region': 'eu' },
  now: new Date('2026-11-16T22:30:00Z'),
}

test.each([
  ['"night-shift" in claims.groups || !params.campaignId.startsWith("big-")', true],
  ['subject == "bob"', false],
  ['"writer" in roles && "campaigns.write" in scopes', true],
  ['tenant == "acme" && !service_account', true],
  ['claims.level > 2', true],
  ['claims.admin == true && claims.org.unit == "a"', true],
  ['has(claims.missing) && claims.missing == 1', false],
  ['method == "POST" && route == "create-optimization"', true],
  ['query.dry[0] == "true" && size(query.dry) == 2', true],
  ['headers["x-region"] in ["eu", "us"]', true],
  ['now.getHours("UTC") == 22', true],
  ['now < timestamp("2026-01-01T00:00:00Z")', false],
  ['roles.exists(role, role == "writer")', true],
  ['params.campaignId.matches("^big-[0-9]+$")', true],
  ['(params.campaignId).matches("small") || subject.matches("lic")', true],
  ['subject.matches("(a+)+$")', false],
  ['true', true],
])('%s is %s', (text, expected) => {
  expect(checkPolicy(text)).toBeUndefined()
  expect(compilePolicy(text)(facts)).toBe(expected)
})

test.each([
  ['subjct == "a"', 'uses the unknown variable "subjct" at character 1, did you mean "subject"?'],
  [
    'body.x == 1',
    'uses the unknown variable "body" at character 1; there are: subject, roles, scopes, tenant, claims, ' +
      'service_account, route, method, params, query, headers, now',
  ],
  ['1 + 1', 'must give true or false, not int'],
  ['claims.admin', 'may give any type; compare it with a value, for example claims.admin == true'],
  ['subject == 1', 'is not valid: no such overload: string == int at character 1'],
  ['subject ==', 'is not valid: Unexpected token: EOF at character 11'],
  ['', 'is not valid: Unexpected token: EOF at character 1'],
  ['foo(subject)', "is not valid: found no matching overload for 'foo(string)' at character 1"],
  [
    'roles.exists(a, scopes.exists(b, a == b))',
    'has exists inside another loop at character 17; one loop is allowed',
  ],
  ['subject.matches(tenant)', 'needs the pattern of matches as a text in quotes at character 1'],
  [
    'subject.matches("(a)\\\\1")',
    'has a pattern that uses what RE2 does not support: invalid escape sequence at character 1',
  ],
  ['subject // matches\n.matches("a")', 'uses matches in a way that is not known'],
  [Array(600).fill('true').join(' && '), 'is larger than 1000 parts'],
])('%s is refused', (text, fault) => {
  expect(checkPolicy(text)).toBe(fault)
  expect(() => compilePolicy(text)).toThrow(TypeError)
})

describe('an expression fails', () => {
  test.each([
    'claims.missing == 1',
    'claims.constructor == 1',
    'claims["__proto__"] == 1',
    'headers.x == "1"',
  ])('%s', (text) => {
    expect(checkPolicy(text)).toBeUndefined()
    expect(() => compilePolicy(text)(facts)).toThrow()
  })
})

test('a pattern that would backtrack takes no time', () => {
  const policy = compilePolicy('subject.matches("^(a+)+$")')
  expect(policy({ ...facts, subject: `${'a'.repeat(5_000)}!` })).toBe(false)
})
