import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { User } from './demo-users.ts'
import { type ClientStore, keepSignIns } from './entry-store.ts'
import { API } from './issuer.ts'
import { acceptedMetadata } from './registered-clients.ts'
import { faultPage, pagePolicy, signInPage } from './sign-in-page.ts'

/** The options of the sign-in with a browser. */
export interface SignInOptions {
  /** The resource that registered clients get tokens for: the address of an MCP endpoint. */
  readonly resource: string
  readonly people: ReadonlyMap<string, User>
  readonly clients: ClientStore
}

const PATH = '/sign-in/'
const SIGN_IN_SECONDS = 600
// A client that asks for no scope gets this one (RFC 6749 3.3); oidc-provider refuses a grant without any.
const DEFAULT_SCOPE = 'tools'

/** The settings of an issuer with authorization code, PKCE and dynamic client registration. */
export function signInSettings({ resource, people, clients }: SignInOptions): Configuration {
  return {
    adapter: keepSignIns(clients),
    scopes: ['openid'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    ttl: {
      Session: SIGN_IN_SECONDS,
      Interaction: SIGN_IN_SECONDS,
      Grant: SIGN_IN_SECONDS,
      AuthorizationCode: 60,
    },
    interactions: { url: (_context, { uid }) => `${PATH}${uid}` },
    findAccount: (_context, sub) =>
      people.has(sub) ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
    // No session is kept, so a code cannot end with it.
    expiresWithSession: () => false,
    renderError(context, { error, error_description: description }) {
      context.type = 'html'
      context.set('Content-Security-Policy', pagePolicy())
      context.body = faultPage(`${description ?? error}.`)
    },
    // A token for the API is also good for the tools of its gateway.
    formats: {
      customizers: {
        jwt(_context, token, { payload }) {
          if (token.aud === API.info.audience) payload['aud'] = [API.info.audience, resource]
        },
      },
    },
    features: {
      rpInitiatedLogout: { enabled: false },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory(context) {
          // The only hook that sees the metadata before they are stored, and the body can only be changed in place.
          const body = context.oidc.body ?? {}
          const accepted = acceptedMetadata(body)
          for (const key of Object.keys(body)) delete body[key]
          Object.assign(body, accepted)
          return randomBytes(16).toString('hex')
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo(context, asked) {
          if (asked !== resource) throw new errors.InvalidTarget(`the only resource is ${resource}`)
          return { ...API.info, audience: resource, scope: askedScope(context) }
        },
      },
    },
  }
}

/** People of development may have every scope that a client asks for. */
function askedScope({ oidc }: KoaContextWithOIDC): string {
  const code = oidc.entities.AuthorizationCode
  return String(oidc.params?.['scope'] ?? code?.scope ?? DEFAULT_SCOPE)
}

/** Adds the default scope to requests without one. */
export function addDefaultScope(provider: Provider): void {
  provider.use(async (context, next) => {
    if (context.path === '/auth' && !context.query['scope'])
      context.query = { ...context.query, scope: DEFAULT_SCOPE }
    await next()
  })
}

/** Whether a request is for the sign-in page. */
export function isSignIn({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(PATH)
}

/** Serves the sign-in page and takes the choice of a person. */
export function answerSignIn(provider: Provider, { people, resource }: SignInOptions): RequestListener {
  return function answer(request, response) {
    void handle(request, response).catch((error: unknown) => {
      const isExpected = error instanceof errors.OIDCProviderError
      if (response.headersSent) response.destroy()
      else send(response, isExpected ? 400 : 500, fault('This sign-in has ended or is unknown.'))
    })
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Only the browser that began the sign-in has its cookie, and no other site can post with it (SameSite).
    const { uid, params } = await provider.interactionDetails(request, response)
    const redirectUri = String(params['redirect_uri'])
    if (request.method === 'GET') {
      const client = await provider.Client.find(String(params['client_id']))
      const name = client?.clientName ?? 'A client without a name'
      const html = signInPage({ client: name, redirectUri, action: `${PATH}${uid}`, people })
      return send(response, 200, { html, policy: pagePolicy(redirectUri) })
    }
    if (request.method !== 'POST') return send(response, 405, fault('This page takes a choice only.'))
    const form = new URLSearchParams(await readForm(request))
    const sub = form.get('sub') ?? ''
    if (!people.has(sub)) {
      const refusal = { error: 'access_denied', error_description: 'the person has cancelled the sign-in' }
      return provider.interactionFinished(request, response, refusal)
    }
    const grant = new provider.Grant({ accountId: sub, clientId: String(params['client_id']) })
    const scope = String(params['scope'] ?? DEFAULT_SCOPE)
    grant.addOIDCScope(scope)
    grant.addResourceScope(resource, scope)
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(request, response, { login: { accountId: sub }, consent })
  }
}

interface Page {
  readonly html: string
  readonly policy: string
}

function fault(message: string): Page {
  return { html: faultPage(message), policy: pagePolicy() }
}

function send(response: ServerResponse, status: number, { html, policy }: Page): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  })
  response.end(html)
}

const MAX_FORM_BYTES = 1024

async function readForm(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_FORM_BYTES) throw new errors.InvalidRequest('the form is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
