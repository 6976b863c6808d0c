import { sendRequest } from '@agentic-rest/testing/send-request'
import type { TokenParts } from '@agentic-rest/testing/sign-token'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { onTestFinished } from 'vitest'
import { registered } from '../../packages/gateway/test/plugins/token-validator/make-validator.ts'
import type { Provocation } from './provocation.ts'
import { askItems, type ObservedConfig, other } from './start-observed.ts'

interface TokenTest extends Omit<ObservedConfig, 'gateway' | 'options'> {
  /** Members of the issuer's section. */
  readonly issuer?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a signed token, which differs from an ordinary one of acme only by `parts`. */
function withToken(parts: TokenParts, { issuer = {}, headers = {}, ...config }: TokenTest = {}) {
  return async (start: Parameters<Provocation['provoke']>[0]) => {
    const server = await startIssuer()
    onTestFinished(() => server.close())
    const plugins = {
      'token-validator': { issuers: [registered(server, issuer)] },
      ...config.plugins,
    }
    const token = await server.token({ ...parts, claims: { tenant_id: 'acme', ...parts.claims } })
    const authorization = { authorization: `Bearer ${token}`, ...headers }
    return await askItems(await start({ ...config, plugins }), { headers: authorization })
  }
}

const byToken = { step: 'token-validator' }
const byTenant = { step: 'tenant-injector' }
const HOUR_SECONDS = 3600
const later = () => Math.floor(Date.now() / 1000) + HOUR_SECONDS

/** Codes for the caller's own fault: no token, the wrong one, no right, no such operation, too much. */
export const refusedCallers = {
  MISSING_TOKEN: { ...byToken, provoke: withToken({}, { headers: { authorization: 'Basic YTpi' } }) },
  INVALID_TOKEN: {
    ...byToken,
    cause: 'MALFORMED',
    provoke: withToken({}, { headers: { authorization: 'Bearer abc' } }),
  },
  TOKEN_EXPIRED: { ...byToken, provoke: withToken({ claims: { exp: 1 } }) },
  TOKEN_NOT_YET_VALID: {
    ...byToken,
    provoke: (start) => withToken({ claims: { nbf: later(), exp: later() + 60 } })(start),
  },
  UNKNOWN_ISSUER: { ...byToken, provoke: withToken({ claims: { iss: 'https://other.example.test' } }) },
  AUDIENCE_MISMATCH: { ...byToken, provoke: withToken({ claims: { aud: 'other' } }) },
  REQUIRED_CLAIM_MISSING: { ...byToken, rule: 'sub', provoke: withToken({ claims: { sub: undefined } }) },
  DISALLOWED_ALGORITHM: { ...byToken, provoke: withToken({}, { issuer: { algorithms: ['RS256'] } }) },
  INSUFFICIENT_ROLES: {
    ...byToken,
    rule: 'writer,keeper',
    provoke: withToken({}, { route: { roles: ['writer', 'keeper'] } }),
  },
  TENANT_REQUIRED: { ...byTenant, provoke: withToken({ claims: { tenant_id: undefined } }) },
  TENANT_MISMATCH: { ...byTenant, provoke: withToken({}, { headers: { 'x-tenant-id': 'globex' } }) },
  TENANT_UNKNOWN: {
    ...byTenant,
    provoke: withToken({}, { plugins: { 'tenant-injector': { allowed: ['globex'] } } }),
  },
  INSUFFICIENT_SCOPE: {
    step: 'route-policy',
    rule: 'items',
    provoke: withToken({}, { route: { scopes: ['items.write'] } }),
  },
  POLICY_DENIED: {
    step: 'route-policy',
    rule: 'items',
    provoke: withToken({}, { route: { allow: 'params.itemId.startsWith("big-")' } }),
  },
  LICENSE_REQUIRED: {
    step: 'license-check',
    rule: 'optimize',
    provoke: (start) => licensed(start, ['other']),
  },
  LICENSE_EXPIRED: {
    step: 'license-check',
    rule: 'optimize',
    provoke: (start) => licensed(start, ['optimize'], { expires_at: '2020-01-01T00:00:00Z' }),
  },
  ROUTE_NOT_FOUND: {
    step: 'route',
    route: 'unmatched',
    provoke: async (start) => sendRequest(`${(await start()).url}/nowhere`),
  },
  METHOD_NOT_ALLOWED: {
    step: 'route',
    route: 'unmatched',
    provoke: async (start) => askItems(await start(), { method: 'DELETE' }),
  },
  BODY_TOO_LARGE: {
    step: 'admit',
    rule: 'max_body_bytes',
    provoke: async (start) =>
      askItems(await start({ gateway: { limits: { max_body_bytes: 1024 } } }), { body: 'x'.repeat(1025) }),
  },
  VALIDATION_FAILED: {
    step: 'admit',
    rule: 'path',
    route: 'unmatched',
    provoke: async (start) => sendRequest(`${(await start()).url}/items/a%2Fb`),
  },
  LIMIT_EXCEEDED: {
    step: 'rate-limits',
    rule: 'per-tenant',
    async provoke(start) {
      const policy = { name: 'per-tenant', requests: 1, per_seconds: HOUR_SECONDS, burst: 1 }
      const gateway = await start({ gateway: { rate_limits: [policy] } })
      await askItems(gateway, { headers: other })
      return await askItems(gateway)
    },
  },
  BUDGET_EXCEEDED: {
    step: 'rate-limits',
    rule: 'tokens-day',
    async provoke(start) {
      const policy = { name: 'tokens-day', tokens: 100, per: 'day', estimate: 10 }
      const gateway = await start({ gateway: { rate_limits: [policy] } })
      const headers = { 'content-type': 'application/json' }
      return await askItems(gateway, { headers, body: '{"max_tokens":101}' })
    },
  },
} as const satisfies Readonly<Record<string, Provocation>>

async function licensed(
  start: Parameters<Provocation['provoke']>[0],
  features: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
) {
  const plugins = { 'license-check': { tenants: { acme: { features, ...more } } } }
  return await askItems(await start({ plugins, route: { license: 'optimize' } }))
}
