import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import { openServer } from './open-server.ts'
import { makeKey, type SigningKey, signToken, type TokenParts } from './sign-token.ts'

/** How a server answers one request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A real issuer over HTTP: it signs tokens, publishes keys and can be made to misbehave. */
export interface IssuerServer {
  readonly url: string
  readonly jwksUri: string
  /** Paths of all requests so far. */
  readonly requests: string[]
  /** The signing key. */
  readonly key: SigningKey
  /** The published keys; replace them to rotate. */
  published: readonly JWK[]
  /** Replace the answers for the key set and the discovery document, while set. */
  answer: Answer | undefined
  /** Creates a new key and publishes only this one. */
  rotate(): Promise<SigningKey>
  token(parts?: TokenParts): Promise<string>
  close(): Promise<void>
}

/** Starts an issuer on a free port. */
export async function startIssuer(algorithm = 'EdDSA'): Promise<IssuerServer> {
  const requests: string[] = []
  let key = await makeKey(algorithm, 'key-1')
  const { close, url } = await openServer((request, response) => {
    requests.push(request.url ?? '')
    const answer = issuer.answer ?? (request.url === '/jwks' ? answerKeys : answerDiscovery)
    answer(request, response)
  })
  const answerKeys: Answer = (_request, response) => sendJson(response, { keys: issuer.published })
  const answerDiscovery: Answer = (_request, response) =>
    sendJson(response, { issuer: url, jwks_uri: `${url}/jwks` })
  const issuer: IssuerServer = {
    url,
    jwksUri: `${url}/jwks`,
    requests,
    get key() {
      return key
    },
    published: [key.jwk],
    answer: undefined,
    async rotate() {
      key = await makeKey(algorithm, `key-${Number(key.kid?.slice(4)) + 1}`)
      issuer.published = [key.jwk]
      return key
    },
    token: (parts = {}) => signToken(url, parts.key ?? key, parts),
    close,
  }
  return issuer
}

/** A server that must never be called. */
export async function startTrap(): Promise<{ url: string; requests: string[]; close(): Promise<void> }> {
  const requests: string[] = []
  const { close, url } = await openServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  return { url, requests, close }
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(value))
}
