import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeProtectedHeader,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { registered } from './plugins/token-validator/make-validator.ts'

const keys = {
  EdDSA: () => generateKeyPairSync('ed25519').privateKey,
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
}

function keyFile(kind: keyof typeof keys): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-identity-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'identity.pem')
  writeFileSync(file, keys[kind]().export({ format: 'pem', type: 'pkcs8' }))
  return file
}

async function start(identity: Record<string, unknown>) {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    gateway: { identity },
    plugins: { 'token-validator': { issuers: [registered(issuer)] } },
    routes: [{ id: 'write', method: 'POST', path: '/items', target: `${upstream.url}/base` }],
  })
  const send = async (claims: Record<string, unknown> = {}, body = '{"a":1}', actor = '') => {
    const token = await issuer.token({ claims: { tenant_id: 'acme', roles: ['a', 'b'], ...claims } })
    const headers = {
      Authorization: `Bearer ${token}`,
      'X-Agentic-Identity': 'forged',
      'X-Actor-Principal': actor,
      'Content-Type': 'application/json',
    }
    await fetch(`${url}/items`, { method: 'POST', headers, body })
    return upstream.requests.at(-1)?.headers['x-agentic-identity'] as string
  }
  const keySet = async () =>
    (await (await fetch(`${url}/.well-known/agentic-jwks.json`)).json()) as { keys: [JWK, ...JWK[]] }
  return { issuer, upstream, url, send, keySet }
}

type World = Awaited<ReturnType<typeof start>>

async function verify({ keySet, upstream }: World, token: string): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, createLocalJWKSet(await keySet()), {
    typ: 'agentic-identity+jwt',
    audience: upstream.url,
    issuer: 'agentic-gateway',
  })
  return payload
}

test.each(['EdDSA', 'ES256'] as const)('a service can verify who calls, by a key of %s', async (alg) => {
  const world = await start({ key_file: keyFile(alg) })
  const token = await world.send()
  const payload = await verify(world, token)
  const now = Math.floor(Date.now() / 1000)
  expect(payload).toEqual({
    iss: 'agentic-gateway',
    aud: world.upstream.url,
    sub: 'alice',
    act_iss: world.issuer.url,
    actor: 'alice',
    tenant: 'acme',
    roles: ['a', 'b'],
    iat: expect.any(Number),
    exp: Number(payload.iat) + 60,
  })
  expect(now - Number(payload.iat)).toBeLessThan(30)
  const { keys: published } = await world.keySet()
  expect(published).toEqual([expect.objectContaining({ alg, use: 'sig' })])
  expect(published[0]).not.toHaveProperty('d')
  expect(published[0].kid).toBe(await calculateJwkThumbprint(published[0]))
  expect(decodeProtectedHeader(token)).toEqual({ alg, typ: 'agentic-identity+jwt', kid: published[0].kid })
})

test('callers and tenants never share a token', async () => {
  const world = await start({ key_file: keyFile('EdDSA'), key_id: 'k-1', ttl_seconds: 5 })
  const tokens = [
    await world.send({ sub: 'alice' }),
    await world.send({ sub: 'bob' }),
    await world.send({ sub: 'alice', tenant_id: 'globex' }),
    await world.send({ sub: 'alice', roles: [] }),
    await world.send({ sub: 'alice' }, '{}', 'agent-1'),
  ]
  const payloads = await Promise.all(tokens.map((token) => verify(world, token)))
  expect(payloads.map(({ sub, tenant, roles, actor }) => [sub, tenant, roles, actor])).toEqual([
    ['alice', 'acme', ['a', 'b'], 'alice'],
    ['bob', 'acme', ['a', 'b'], 'bob'],
    ['alice', 'globex', ['a', 'b'], 'alice'],
    ['alice', 'acme', [], 'alice'],
    ['alice', 'acme', ['a', 'b'], 'agent-1'],
  ])
})

test('a token can be bound to the body', async () => {
  const world = await start({ key_file: keyFile('EdDSA'), body_digest: true })
  const { bsha } = await verify(world, await world.send({}, '{"amount":1}'))
  expect(bsha).toBe(createHash('sha256').update('{"amount":1}').digest('base64url'))
  expect((await verify(world, await world.send({}, '{"amount":2}')))['bsha']).not.toBe(bsha)
})

describe('without a key', () => {
  test('there is no header, and no key set', async () => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
    const { url } = await startGateway({
      routes: [{ id: 'read', method: 'GET', path: '/items', target: upstream.url }],
    })
    await fetch(`${url}/items`, { headers: { 'X-Tenant-ID': 'acme', X_Agentic_Identity: 'forged' } })
    expect(Object.keys(upstream.requests[0]?.headers ?? {}).join()).not.toMatch(/identity/)
    const keySet = await readFetched(await fetch(`${url}/.well-known/agentic-jwks.json`))
    expectRefusal(keySet, 404, 'ROUTE_NOT_FOUND')
  })

  test.each(['P-384', 'RSA'] as const)('a key of %s is refused at start', async (kind) => {
    await expect(start({ key_file: keyFile(kind) })).rejects.toThrow(
      'gateway.identity.key_file is not an Ed25519 or P-256 private key in PEM (PKCS#8)',
    )
  })

  test('a file that is not there is named by its key, not by its path', async () => {
    await expect(start({ key_file: '/nowhere/secret.pem' })).rejects.toThrow(
      'gateway.identity.key_file: cannot read the file (ENOENT)',
    )
  })
})
