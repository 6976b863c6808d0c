import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Signs tokens of one issuer, with its keys in a file. */
export interface Issuer {
  readonly issuer: string
  readonly jwksFile: string
  token(claims?: Readonly<Record<string, unknown>>): string
}

/** Creates an issuer with a new RSA key. */
export function createIssuer(folder: string, name = 'bench'): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwksFile = join(folder, `${name}.jwks.json`)
  const key = { ...publicKey.export({ format: 'jwk' }), kid: name, alg: 'RS256', use: 'sig' }
  writeFileSync(jwksFile, JSON.stringify({ keys: [key] }))
  const issuer = `https://${name}.example`
  return { issuer, jwksFile, token: (claims = {}) => sign({ iss: issuer, ...claims }, name, privateKey) }
}

function sign(claims: Readonly<Record<string, unknown>>, kid: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    sub: 'alice',
    tenant_id: 'acme',
    roles: ['item:read'],
    aud: 'agentic',
    iat: now,
    exp: now + 86_400,
    ...claims,
  }
  const text = `${part({ alg: 'RS256', typ: 'at+jwt', kid })}.${part(payload)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
