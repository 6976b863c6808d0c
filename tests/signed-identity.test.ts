import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, defineOperation, success } from '@agentic-rest/service'
import { serve } from '@agentic-rest/service/node'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const whoami = defineOperation({
  id: 'whoami',
  method: 'POST',
  path: '/whoami',
  input: z.object({ text: z.string() }),
  run: ({ tenant, subject, issuer, roles, input: { text } }) =>
    success({ tenant, subject, issuer, roles, text }),
})

function newKeyFile(type: 'ed25519' | 'ec'): string {
  const { privateKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const folder = mkdtempSync(join(tmpdir(), 'agentic-identity-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'key.pem')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return file
}

/** A gateway that signs, and a service that believes only what it signs. */
async function startTrusting(type: 'ed25519' | 'ec', bodyDigest: boolean) {
  const jwksUrl: { value: string } = { value: '' }
  // The service needs the address of the gateway, and the gateway that of the service.
  const keys: typeof fetch = (_url, init) => fetch(jwksUrl.value, init)
  const service = createService({
    operations: [whoami],
    fetch: keys,
    trust: { jwksUrl: 'http://gateway.example/jwks', issuer: 'agentic-gateway' },
  })
  const { port, stop } = await serve({ fetch: service.fetch, port: 0, closes: [service] })
  const issuer = await startIssuer('RS256')
  onTestFinished(async () => {
    await stop()
    await issuer.close()
  })
  const target = `http://127.0.0.1:${port}`
  const gateway = await startGateway({
    gateway: { identity: { key_file: newKeyFile(type), body_digest: bodyDigest } },
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['RS256'] },
        ],
      },
    },
    routes: [{ id: 'whoami', method: 'POST', path: '/whoami', target, conformance: 'enforce' }],
  })
  jwksUrl.value = `${gateway.url}/.well-known/agentic-jwks.json`
  return { gateway, issuer, target }
}

it.each([
  ['ed25519', false],
  ['ed25519', true],
  ['ec', false],
  ['ec', true],
] as const)(
  'a service believes its gateway (%s, digest %s) and nobody beside it',
  async (type, bodyDigest) => {
    const { gateway, issuer, target } = await startTrusting(type, bodyDigest)
    const token = await issuer.token({
      claims: { sub: 'alice', aud: 'agentic', tenant_id: 'acme', roles: ['reader'] },
    })
    const claimed = {
      'content-type': 'application/json',
      'x-tenant-id': 'acme',
      'x-actor-subject': 'mallory',
      'x-agentic-identity': 'forged',
    }
    const send = (url: string, headers: Record<string, string>) =>
      fetch(`${url}/whoami`, { method: 'POST', headers, body: '{"text":"hello"}' })
    for (let time = 0; time < 2; time += 1) {
      const answer = await send(gateway.url, { ...claimed, authorization: `Bearer ${token}` })
      expect([answer.status, await answer.json()]).toMatchObject([
        200,
        { tenant: 'acme', subject: 'alice', issuer: issuer.url, roles: ['reader'], text: 'hello' },
      ])
    }
    const { 'x-agentic-identity': _forged, ...plain } = claimed
    const direct = await send(target, plain)
    expect([direct.status, await direct.json()]).toMatchObject([403, { code: 'IDENTITY_REQUIRED' }])
    const forged = await send(target, claimed)
    expect([forged.status, await forged.json()]).toMatchObject([403, { code: 'IDENTITY_INVALID' }])
  },
)
