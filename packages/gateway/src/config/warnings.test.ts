import { expect, test } from 'vitest'
import { formatFaults } from './faults.ts'
import { parseConfig } from './parse-config.ts'

const OFF = 'plugins.token-validator.mode is off: every request is accepted without a token'
const HEADER_DECIDES =
  'plugins.tenant-injector has neither allowed nor webhook: a token without its tenant claim is let into any tenant ' +
  'that the X-Tenant-ID header names; list the tenants in allowed, ask a directory by webhook, or put the claim into ' +
  'plugins.token-validator.required_claims'
const anyAudience = (index: number) =>
  `plugins.token-validator.issuers[${index}].audience is empty: tokens that this issuer made for other services are accepted too`

const issuer = { issuer: 'https://id.example.test', audience: ['agentic'] }
const agents = { issuer: 'https://agents.example.test', audience: ['agentic'], service_account: true }
const allowed = ['acme']
const webhook = { url: 'https://directory.example.test/{principal}' }

function warningsFor(validator: Record<string, unknown>, injector: Record<string, unknown> = {}) {
  const plugins = { 'token-validator': validator, 'tenant-injector': injector }
  const result = parseConfig(JSON.stringify({ plugins, routes: [] }), { file: 'gateway.yaml', env: {} })
  if (!result.ok) throw new Error(formatFaults(result.faults))
  return result.warnings
}

test('an audience and a bound on tenants leave nothing to warn of', () => {
  expect(warningsFor({ issuers: [issuer, agents] }, { allowed })).toEqual([])
  expect(warningsFor({ issuers: [issuer, agents] }, { webhook })).toEqual([])
})

test('each issuer whose audience is empty is named by its place', () => {
  const open = { issuer: 'https://other.example.test', audience: [] }
  const { audience: _, ...without } = agents
  expect(warningsFor({ issuers: [open, issuer, without] }, { allowed })).toEqual([
    anyAudience(0),
    anyAudience(2),
  ])
})

test('a header that alone decides the tenant of a user is warned of, with the ways to close it', () => {
  expect(warningsFor({ issuers: [issuer] })).toEqual([HEADER_DECIDES])
  expect(warningsFor({ issuers: [agents, issuer] }, { claim: 'org' })).toEqual([HEADER_DECIDES])
})

test('the header of service accounts is authoritative and not warned of', () => {
  expect(warningsFor({ issuers: [agents] })).toEqual([])
})

test('a required tenant claim leaves the header nothing to decide', () => {
  const required_claims = ['sub', 'org.id']
  expect(warningsFor({ required_claims, issuers: [issuer, agents] }, { claim: 'org.id' })).toEqual([])
  const own = { ...issuer, claims: { tenant: 'org.id' } }
  expect(warningsFor({ required_claims, issuers: [own] })).toEqual([])
  const other = { ...issuer, issuer: 'https://other.example.test' }
  expect(warningsFor({ required_claims, issuers: [own, other] })).toEqual([HEADER_DECIDES])
})

test('without tokens only that is warned of: issuers are not used, and nobody has a claim', () => {
  expect(warningsFor({ mode: 'off' })).toEqual([OFF])
  expect(warningsFor({ mode: 'off', issuers: [{ issuer: 'https://id.example.test' }] })).toEqual([OFF])
})

test('no warning repeats a value of the file', () => {
  const secretive = { issuer: 'https://do-not-show.example.test', claims: { tenant: 'do-not-show' } }
  const warnings = warningsFor({ issuers: [secretive] })
  expect(warnings).toHaveLength(2)
  expect(warnings.join()).not.toContain('do-not-show')
})
