import { hash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type IssuerServer, sendJson, startIssuer } from './start-issuer.ts'

/** The faults of a provider, all off at first. */
export interface ProviderFaults {
  /** Answers nothing. */
  isSilent: boolean
  /** Answers `awayStatus` at every address. */
  isAway: boolean
  awayStatus: number
  /** Adds this to the times in tokens. */
  clockSeconds: number
  /** Further claims of both tokens. */
  claims: Readonly<Record<string, unknown>>
  /** Further claims of the ID token. */
  idClaims: Readonly<Record<string, unknown>>
  /** The lifetime of an access token. */
  tokenSeconds: number
  /** Refuses refresh tokens. */
  refusesRefresh: boolean
  /** Takes a code more than once. */
  takesCodesTwice: boolean
}

/** A real OpenID provider over HTTP, for one client, that can be made to misbehave. */
export interface ProviderServer {
  readonly issuer: IssuerServer
  readonly url: string
  readonly faults: ProviderFaults
  /** The forms that were sent to the token endpoint. */
  readonly asked: URLSearchParams[]
  /** Signs a person in at the address that a browser was sent to; resolves with the address that it is sent back to. */
  signIn(address: string, sub: string): URL
  close(): Promise<void>
}

interface Code {
  readonly sub: string
  readonly nonce: string
  readonly challenge: string
  isUsed: boolean
}

/** Starts a provider on a free port. `metadata` is added to its description. */
export async function startProvider(
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<ProviderServer> {
  const issuer = await startIssuer()
  const codes = new Map<string, Code>()
  const refreshTokens = new Map<string, string>()
  const asked: URLSearchParams[] = []
  const faults: ProviderFaults = {
    isSilent: false,
    isAway: false,
    awayStatus: 503,
    clockSeconds: 0,
    claims: {},
    idClaims: {},
    tokenSeconds: 300,
    refusesRefresh: false,
    takesCodesTwice: false,
  }
  const { url } = issuer
  const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
    '/jwks': (_request, response) => sendJson(response, { keys: issuer.published }),
    '/token': answerToken,
  }
  const description = {
    issuer: url,
    jwks_uri: `${url}/jwks`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    end_session_endpoint: `${url}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  }
  issuer.answer = (request, response) => {
    if (faults.isSilent) return
    if (faults.isAway) response.writeHead(faults.awayStatus).end()
    else (answers[request.url ?? ''] ?? (() => sendJson(response, description)))(request, response)
  }
  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    asked.push(form)
    const granted = form.get('grant_type') === 'refresh_token' ? takeRefreshToken(form) : takeCode(form)
    if (granted === undefined) {
      response.statusCode = 400
      return sendJson(response, { error: 'invalid_grant' })
    }
    const now = Math.floor(Date.now() / 1000) + faults.clockSeconds
    const times = { iat: now, exp: now + faults.tokenSeconds }
    const { sub, nonce } = granted
    const claims = { sub, tenant_id: 'acme', ...times, ...faults.claims }
    const idClaims = { ...claims, nonce, aud: 'agentic-gateway', sid: `sid-${sub}`, ...faults.idClaims }
    const refreshToken = randomUUID()
    refreshTokens.set(refreshToken, sub)
    sendJson(response, {
      token_type: 'Bearer',
      access_token: await issuer.token({ claims }),
      id_token: await issuer.token({ header: { typ: 'JWT' }, claims: idClaims }),
      refresh_token: refreshToken,
      expires_in: faults.tokenSeconds,
    })
  }
  function takeCode(form: URLSearchParams) {
    const code = codes.get(form.get('code') ?? '')
    const isProven = code?.challenge === hash('sha256', form.get('code_verifier') ?? '', 'base64url')
    if (code === undefined || !isProven || (code.isUsed && !faults.takesCodesTwice)) return undefined
    code.isUsed = true
    return code
  }
  /** Each refresh token is good for one use. */
  function takeRefreshToken(form: URLSearchParams) {
    const token = form.get('refresh_token') ?? ''
    const sub = refreshTokens.get(token)
    refreshTokens.delete(token)
    return sub === undefined || faults.refusesRefresh ? undefined : { sub, nonce: undefined }
  }
  return {
    issuer,
    url,
    faults,
    asked,
    signIn(address, sub) {
      const asking = new URL(address).searchParams
      const code = randomUUID()
      const [nonce = '', challenge = ''] = [asking.get('nonce') ?? '', asking.get('code_challenge') ?? '']
      codes.set(code, { sub, nonce, challenge, isUsed: false })
      const back = new URL(asking.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: asking.get('state') ?? '', iss: url }).toString()
      return back
    },
    close: issuer.close,
  }
}
