import type { ServerResponse } from 'node:http'
import { freePort } from '@agentic-rest/testing/free-port'
import { writeFiles } from '@agentic-rest/testing/make-certificate'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import {
  answerJson,
  type ReceivedRequest,
  startTcpUpstream,
  startUpstream,
  traceOf,
} from '@agentic-rest/testing/start-upstream'
import { onTestFinished } from 'vitest'
import { registered } from '../../packages/gateway/test/plugins/token-validator/make-validator.ts'
import type { Provocation } from './provocation.ts'
import { askItems, type StartObserved } from './start-observed.ts'

/** An address where nobody listens. */
const nobody = async (path = '') => `http://127.0.0.1:${await freePort()}${path}`

const refused = { cause: 'ECONNREFUSED' }
const byService = { step: 'upstream' }
const byCheck = { step: 'check-response' }

/** Asks with the token of an issuer whose server does not answer. */
async function withIssuer(start: StartObserved, issuer: Readonly<Record<string, unknown>>, token: string) {
  const issuers = [{ issuer: ISSUER, audience: ['agentic'], ...issuer }]
  const gateway = await start({ plugins: { 'token-validator': { issuers } } })
  return await askItems(gateway, { headers: { authorization: `Bearer ${token}` } })
}

const ISSUER = 'https://id.example.test'
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unknownToken = () => {
  const header = encoded({ alg: 'RS256', kid: 'key-1', typ: 'at+jwt' })
  const exp = Math.floor(Date.now() / 1000) + 300
  return `${header}.${encoded({ iss: ISSUER, sub: 'alice', aud: 'agentic', exp })}.${encoded({})}`
}

/** Asks a service that answers in its own way. */
async function answeredBy(
  start: StartObserved,
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
  route: Readonly<Record<string, unknown>> = {},
) {
  const { url: target } = await startUpstream(answer)
  return await askItems(await start({ route: { target, ...route } }))
}

const typedError = (body: unknown) => ({
  status: 500,
  type: 'application/vnd.agentic.error+json',
  body,
})

/** Codes for the fault of a service that the gateway asks. */
export const failedServices = {
  JWKS_UNAVAILABLE: {
    ...refused,
    step: 'token-validator',
    provoke: async (start) => withIssuer(start, { jwks_uri: await nobody('/jwks') }, unknownToken()),
  },
  INTROSPECTION_UNAVAILABLE: {
    ...refused,
    step: 'token-validator',
    async provoke(start) {
      const { secret } = writeFiles({ secret: 'a client secret\n' })
      const introspection = { url: await nobody('/introspect'), client_id: 'me', client_secret_file: secret }
      return await withIssuer(start, { introspection }, 'opaque-1')
    },
  },
  TENANT_LOOKUP_UNAVAILABLE: {
    ...refused,
    step: 'tenant-injector',
    async provoke(start) {
      const issuer = await startIssuer()
      onTestFinished(() => issuer.close())
      const plugins = {
        'token-validator': { issuers: [registered(issuer)] },
        'tenant-injector': { webhook: { url: await nobody('/{principal}') } },
      }
      const headers = { authorization: `Bearer ${await issuer.token()}` }
      return await askItems(await start({ plugins }), { headers })
    },
  },
  LICENSE_UNAVAILABLE: {
    ...refused,
    step: 'license-check',
    rule: 'optimize',
    async provoke(start) {
      const plugins = { 'license-check': { webhook: { url: await nobody('/{tenant}/{feature}') } } }
      return await askItems(await start({ plugins, route: { license: 'optimize' } }))
    },
  },
  UPSTREAM_UNAVAILABLE: {
    ...refused,
    ...byService,
    provoke: async (start) => askItems(await start({ route: { target: await nobody() } })),
  },
  UPSTREAM_INVALID_RESPONSE: {
    ...byService,
    cause: 'INVALID_HTTP',
    async provoke(start) {
      const { url: target } = await startTcpUpstream((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'))
      return await askItems(await start({ route: { target } }))
    },
  },
  STORE_UNAVAILABLE: {
    ...refused,
    step: 'rate-limits',
    rule: 'per-tenant',
    async provoke(start) {
      const policy = { name: 'per-tenant', requests: 1, per_seconds: 60, on_store_failure: 'refuse' }
      const shared = { redis_url: `redis://127.0.0.1:${await freePort()}` }
      return await askItems(await start({ gateway: { shared, rate_limits: [policy] } }))
    },
  },
  TRACE_MISSING: {
    ...byCheck,
    rule: 'trace_missing',
    provoke: (start) =>
      answeredBy(start, (_, response) => answerJson(response, typedError({ type: 'error' }))),
  },
  TRACE_MISMATCH: {
    ...byCheck,
    rule: 'trace_mismatch',
    provoke: (start) =>
      answeredBy(start, (_, response) =>
        answerJson(response, typedError({ trace: { correlationId: 'x', requestId: 'y' } })),
      ),
  },
  INVALID_AGENTIC_RESPONSE: {
    ...byCheck,
    cause: 'NOT_JSON',
    provoke: (start) => answeredBy(start, (_, response) => answerJson(response, typedError('{'))),
  },
  PROFILE_VIOLATION: {
    ...byCheck,
    rule: 'media_type',
    cause: 'status 500 has media type application/vnd.agentic.error+json, got application/json',
    provoke: (start) =>
      answeredBy(
        start,
        (request, response) => {
          const body = { type: 'error', code: 'C', message: 'M', trace: traceOf(request) }
          answerJson(response, { status: 500, type: 'application/json', body })
        },
        { conformance: 'enforce' },
      ),
  },
  EXECUTION_TIMEOUT: {
    ...byService,
    rule: 'executionTimeoutSeconds',
    provoke: (start) => answeredBy(start, () => undefined, { executionTimeoutSeconds: 1 }),
  },
} as const satisfies Readonly<Record<string, Provocation>>
