import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type ClientMetadata,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import type { User } from './demo-users.ts'
import { type ClientStore, keepSignIns } from './entry-store.ts'
import { API } from './issuer.ts'
import { acceptedMetadata } from './registered-clients.ts'
import { faultPage, pagePolicy, signInPage } from './sign-in-page.ts'

/** The options of the sign-in with a browser. */
export interface SignInOptions {
  /** The resource that registered clients get tokens for: the address of an MCP endpoint. Without it no client can register. */
  readonly resource: string | undefined
  readonly people: ReadonlyMap<string, User>
  readonly clients: ClientStore
}

type Context = Parameters<Parameters<Provider['use']>[0]>[0]

const PATH = '/sign-in/'
const SIGN_IN_SECONDS = 600
// A client that asks for no scope gets this one (RFC 6749 3.3); oidc-provider refuses a grant without any.
const DEFAULT_SCOPE = 'tools'

/** Gateways on this machine, where people sign in to approve. RFC 8252 8.4: a loopback address may have any port. */
export const gatewayClient = {
  client_id: 'agentic-gateway',
  client_name: 'The gateway',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}/sign-in/callback`),
} as const satisfies ClientMetadata

/** The settings of an issuer with authorization code, PKCE and dynamic client registration. */
export function signInSettings({ resource, people, clients }: SignInOptions): Configuration {
  return {
    adapter: keepSignIns(clients),
    scopes: ['openid', 'profile'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    ttl: {
      Session: SIGN_IN_SECONDS,
      Interaction: SIGN_IN_SECONDS,
      Grant: SIGN_IN_SECONDS,
      AuthorizationCode: 60,
      IdToken: SIGN_IN_SECONDS,
    },
    interactions: { url: (_context, { uid }) => `${PATH}${uid}` },
    findAccount: (_context, sub) =>
      people.has(sub) ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
    // No session is kept, so a code cannot end with it.
    expiresWithSession: () => false,
    renderError(context, { error, error_description: description }) {
      show(context, { html: faultPage(`${description ?? error}.`), policy: pagePolicy() })
    },
    // A token for the API is also good for the tools of its gateway.
    formats: {
      customizers: {
        jwt(_context, token, { payload }) {
          if (token.aud === API.info.audience && resource !== undefined)
            payload['aud'] = [API.info.audience, resource]
        },
      },
    },
    features: {
      rpInitiatedLogout: { enabled: false },
      registration: {
        enabled: resource !== undefined,
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
        defaultResource: (_context, client) => resourceOf(client.clientId, resource),
        getResourceServerInfo(context, asked, client) {
          if (asked === API.identifier && client.clientId === gatewayClient.client_id) return API.info
          if (resource === undefined || asked !== resource)
            throw new errors.InvalidTarget(`the only resource is ${resource}`)
          return { ...API.info, audience: resource, scope: askedScope(context) }
        },
      },
    },
  }
}

function resourceOf(clientId: string | undefined, resource: string | undefined): string {
  return clientId === gatewayClient.client_id ? API.identifier : (resource ?? API.identifier)
}

/** People of development may have every scope that a client asks for. */
function askedScope({ oidc }: KoaContextWithOIDC): string {
  const code = oidc.entities.AuthorizationCode
  return String(oidc.params?.['scope'] ?? code?.scope ?? DEFAULT_SCOPE)
}

/** Adds the default scope to requests without one, and the page where people sign in. */
export function addSignIn(provider: Provider, options: SignInOptions): void {
  provider.use(async (context, next) => {
    if (context.path.startsWith(PATH)) return answerSignIn(provider, context, options)
    if (context.path === '/auth' && !context.query['scope'])
      context.query = { ...context.query, scope: DEFAULT_SCOPE }
    await next()
  })
}

async function answerSignIn(provider: Provider, context: Context, options: SignInOptions): Promise<void> {
  context.set({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  })
  try {
    if (context.method === 'POST') await takeChoice(provider, context, options)
    else await showPage(provider, context, options)
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    context.status = error.statusCode
    show(context, { html: faultPage('This sign-in has ended or is unknown.'), policy: pagePolicy() })
  }
}

async function showPage(provider: Provider, context: Context, { people }: SignInOptions): Promise<void> {
  // Only the browser that began the sign-in has its cookie.
  const { uid, params } = await provider.interactionDetails(context.req, context.res)
  const redirectUri = String(params['redirect_uri'])
  const client = await provider.Client.find(String(params['client_id']))
  const name = client?.clientName ?? 'A client without a name'
  const isGateway = client?.clientId === gatewayClient.client_id
  const html = signInPage({ client: name, isGateway, redirectUri, action: `${PATH}${uid}`, people })
  show(context, { html, policy: pagePolicy(redirectUri) })
}

async function takeChoice(provider: Provider, context: Context, options: SignInOptions): Promise<void> {
  const { req, res } = context
  const { people, resource } = options
  // No other site can post with the cookie (SameSite).
  const { params } = await provider.interactionDetails(req, res)
  const sub = new URLSearchParams(await readForm(req)).get('sub') ?? ''
  // The provider writes the redirect itself.
  if (!people.has(sub)) {
    const refusal = { error: 'access_denied', error_description: 'the person has cancelled the sign-in' }
    context.respond = false
    return provider.interactionFinished(req, res, refusal)
  }
  const clientId = String(params['client_id'])
  const grant = new provider.Grant({ accountId: sub, clientId })
  const scope = String(params['scope'] ?? DEFAULT_SCOPE)
  grant.addOIDCScope(scope)
  grant.addResourceScope(resourceOf(clientId, resource), scope)
  const consent = { grantId: await grant.save() }
  context.respond = false
  await provider.interactionFinished(req, res, { login: { accountId: sub }, consent })
}

interface Page {
  readonly html: string
  readonly policy: string
}

function show(context: Pick<Context, 'set' | 'type' | 'body'>, { html, policy }: Page): void {
  context.set('Content-Security-Policy', policy)
  context.type = 'html'
  context.body = html
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
