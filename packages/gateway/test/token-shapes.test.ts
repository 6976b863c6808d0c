import type { TokenParts } from '@agentic-rest/testing/sign-token'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { registered } from './plugins/token-validator/make-validator.ts'

let issuer: IssuerServer
let gateway: TestGateway

beforeEach(async () => {
  issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  gateway = await startGateway({
    plugins: { 'token-validator': { issuers: [registered(issuer)] } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
})

async function send(parts: TokenParts) {
  const token = await issuer.token({ ...parts, claims: { ...parts.claims, tenant_id: 'acme' } })
  return fetch(`${gateway.url}/r`, { headers: { Authorization: `Bearer ${token}` } })
}

const JWT = { typ: 'JWT' }
const UNTYPED = { typ: undefined }
const profile = {
  name: 'Alice',
  preferred_username: 'alice',
  email: 'alice@example.com',
  email_verified: true,
}

/** Members as the issuers write them, beside `iss`, `aud`, `sub` and the dates. */
const keycloak = {
  jti: 'onrtac:5e3f1c1e',
  azp: 'console',
  sid: '3c1b',
  acr: '1',
  auth_time: 1_700_000_000,
}
const entra = { aio: 'ATQAy/8', oid: '6f2a', rh: '0.AXk', tid: '9188', uti: 'x', ver: '2.0' }
const okta = { ver: 1, auth_time: 1_700_000_000 }
const NONCE = { nonce: 'n-0S6_WzA2Mj' }
const AT_HASH = { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }

test.each<[string, TokenParts]>([
  [
    'Keycloak, of a person',
    {
      header: JWT,
      claims: {
        ...keycloak,
        typ: 'Bearer',
        'allowed-origins': ['https://app.example.com'],
        realm_access: { roles: ['user'] },
        scope: 'openid profile email',
        ...profile,
      },
    },
  ],
  [
    'Keycloak before 24, which copies the nonce',
    { header: JWT, claims: { ...keycloak, ...NONCE, typ: 'Bearer', scope: 'openid' } },
  ],
  [
    'Keycloak, of a service account',
    {
      header: JWT,
      claims: { typ: 'Bearer', azp: 'agent', scope: '', clientHost: '10.0.0.1', client_id: 'agent' },
    },
  ],
  [
    'Entra ID, of a person',
    { header: { ...JWT, x5t: 'a' }, claims: { ...entra, azp: 'a', azpacr: '1', scp: 'access_as_user' } },
  ],
  [
    'Entra ID, of an application',
    { header: JWT, claims: { ...entra, azp: 'a', azpacr: '1', idtyp: 'app', roles: ['Work'] } },
  ],
  [
    'Entra ID v1, with the nonce in the header',
    {
      header: { ...JWT, ...NONCE },
      claims: { appid: 'a', appidacr: '0', scp: 'User.Read', unique_name: 'a@b', ver: '1.0' },
    },
  ],
  [
    'Auth0, of a person',
    { header: JWT, claims: { azp: 'a', scope: 'openid profile', permissions: ['read:items'] } },
  ],
  ['Auth0, of a machine', { header: JWT, claims: { azp: 'a', gty: 'client-credentials' } }],
  [
    'Auth0 with the profile of RFC 9068',
    { header: { typ: 'at+jwt' }, claims: { client_id: 'a', jti: 'j', scope: 'openid' } },
  ],
  [
    'Okta',
    { header: UNTYPED, claims: { ...okta, jti: 'AT.1', cid: '0oa', uid: '00u', scp: ['openid', 'items'] } },
  ],
  [
    'Google, signed by a service account',
    { header: JWT, claims: { scope: 'https://www.googleapis.com/auth/cloud-platform' } },
  ],
  [
    'Google, of a service account for another service',
    { header: JWT, claims: { azp: '1', email: 'a@p.iam.gserviceaccount.com', email_verified: true } },
  ],
])('an access token of %s passes', async (_name, parts) => {
  expect((await send(parts)).status).toBe(200)
})

test.each<[string, TokenParts]>([
  ['Keycloak', { header: JWT, claims: { ...keycloak, typ: 'ID', ...profile } }],
  [
    'Keycloak, which has scopes',
    { header: JWT, claims: { ...keycloak, typ: 'ID', scope: 'openid', ...NONCE, ...AT_HASH } },
  ],
  ['Entra ID', { header: JWT, claims: { ...entra, ...profile, ...NONCE } }],
  ['Entra ID in the hybrid flow', { header: JWT, claims: { ...entra, c_hash: 'LDktKdoQak3Pk0cnXxCltA' } }],
  ['Auth0', { header: JWT, claims: { ...profile, nickname: 'alice', sid: 's', ...NONCE } }],
  ['Okta', { header: UNTYPED, claims: { ...okta, jti: 'ID.1', amr: ['pwd'], idp: '00o', ...AT_HASH } }],
  ['Google', { header: JWT, claims: { azp: '1', hd: 'example.com', ...profile, ...AT_HASH } }],
  ['an issuer that writes the media type', { header: { typ: 'application/JWT' }, claims: NONCE }],
])('an ID token of %s is refused', async (_name, parts) => {
  expectRefusal(await readFetched(await send(parts)), 401, 'INVALID_TOKEN')
})

test('a type in the header that tells an access token decides', async () => {
  for (const claims of [NONCE, AT_HASH, { typ: 'ID' }])
    expect((await send({ header: { typ: 'at+jwt' }, claims })).status).toBe(200)
})
