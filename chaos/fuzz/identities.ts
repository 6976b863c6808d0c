import type { IncomingHttpHeaders } from 'node:http'
import { createIssuer, type Issuer } from '../../bench/tokens.ts'
import type { Tokens } from './requests.ts'

/** Valid and invalid tokens. */
export interface Identities {
  readonly issuer: Issuer
  readonly tokens: Tokens
  /** Whether forwarded identity headers match a valid token. */
  vouchFor(headers: IncomingHttpHeaders): boolean
}

interface Person {
  readonly subject: string
  readonly tenant: string
  readonly signature: Buffer
}

/** Creates the tokens, with the keys in a file of the folder. */
export function createIdentities(folder: string): Identities {
  const issuer = createIssuer(folder, 'fuzz')
  const people = new Map<string, Person>()
  const good = ['acme', 'globex', '__proto__'].flatMap((tenant) =>
    ['alice', 'bob', 'carol'].map((name) => {
      const subject = `${name}-of-${tenant}`
      const token = issuer.token({ sub: subject, tenant_id: tenant })
      const { signed, signature } = split(token)
      people.set(signed, { subject, tenant, signature })
      return token
    }),
  )
  const vouchFor = (headers: IncomingHttpHeaders) => {
    const { signed, signature } = split(/^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
    const person = people.get(signed)
    return (
      person?.signature.equals(signature) === true &&
      headers['x-tenant-id'] === person.tenant &&
      headers['x-actor-subject'] === person.subject
    )
  }
  return { issuer, tokens: { good, bad: badTokens(issuer, createIssuer(folder, 'stranger')) }, vouchFor }
}

/** The last character of a signature has unused bits: only the bytes are compared. */
function split(token: string): { readonly signed: string; readonly signature: Buffer } {
  const dot = token.lastIndexOf('.')
  return {
    signed: token.slice(0, Math.max(0, dot)),
    signature: Buffer.from(token.slice(dot + 1), 'base64url'),
  }
}

function badTokens(issuer: Issuer, stranger: Issuer): string[] {
  const now = Math.floor(Date.now() / 1000)
  const good = issuer.token()
  const [head = '', payload = '', signature = ''] = good.split('.')
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
  return [
    ...[
      '',
      'x',
      'a.b.c',
      '...',
      '!',
      'null',
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${none}.${payload}.`,
    ],
    ...[
      `${head}..${signature}`,
      `${payload}.${head}.${signature}`,
      `${good}.`,
      `${good} x`,
      `${good},${good}`,
    ],
    ...[stranger.token(), stranger.token({ iss: issuer.issuer }), issuer.token({ iss: stranger.issuer })],
    ...[issuer.token({ exp: now - 3600 }), issuer.token({ exp: 'never' }), issuer.token({ nbf: now + 3600 })],
    ...[issuer.token({ aud: 'others' }), issuer.token({ sub: '' }), issuer.token({ tenant_id: '../acme' })],
    ...[issuer.token({ tenant_id: ['a b'] }), issuer.token({ sub: { a: 1 } }), 'A'.repeat(9000)],
  ]
}
