import { headers as headerNames, outcomes } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange, Reply } from '../exchange.ts'
import type { Log } from '../log.ts'
import type { Exposition } from '../metrics/registry.ts'
import { lendToken } from '../sessions/sessions.ts'
import type { SignIn } from '../sessions/sign-in.ts'
import type { Access } from './access.ts'
import { type AdminAnswer, commonHeaders, faultAnswer, jsonAnswer, sendAnswer } from './answer.ts'
import { type DevelopmentAccess, giveToken } from './development-access.ts'
import type { Feed } from './feed.ts'
import { AS_ME_PATH, refuseForeign, SESSION_PATH } from './foreign-sites.ts'
import { adminOpenApi } from './openapi.ts'
import { EXCHANGES_PATH, type Records } from './records.ts'
import type { ServiceDocuments } from './service-document.ts'
import type { StaticFiles } from './static-files.ts'

/** What the endpoints of the admin listener use. */
export interface Site {
  readonly log: Log
  /** The allowed names in the `Host` header. */
  readonly names: ReadonlySet<string>
  readonly access: Access
  /** Takes a request as one of the main listener. */
  readonly passOn: (exchange: Exchange) => void
  /** The way to sign in at an identity provider, where there is one. */
  readonly signIn: () => SignIn | undefined
  readonly files: StaticFiles
  readonly records: Records
  readonly documents: ServiceDocuments
  readonly feed: Feed
  readonly development: DevelopmentAccess | undefined
  /** The gateway's URL for the browser that sent the request. */
  readonly gatewayUrl: (exchange: Exchange) => string
  readonly describeGateway: (exchange: Exchange) => Promise<AdminBody<'Gateway'>>
  readonly describeRoutes: (exchange: Exchange) => AdminBody<'Routes'>
  /** The use of tenants against their limits. */
  readonly usage: (exchange: Exchange) => Promise<AdminAnswer>
  readonly reload: () => Promise<AdminBody<'Reload'>>
  /** The metrics; `undefined` while the main listener serves them. */
  readonly metrics: () => Promise<Exposition> | Exposition | undefined
}

/** Answers one request of the admin listener: foreign sites, access, endpoint. An error ends only its request. */
export async function answerAdmin(exchange: Exchange, site: Site): Promise<void> {
  try {
    const answer = await answerOf(exchange, site)
    if (answer !== 'streams') sendAnswer(exchange, answer)
  } catch (error) {
    if (exchange.signal.aborted) return
    site.log.error('an admin request failed', { path: exchange.path, error })
    sendAnswer(exchange, faultAnswer('FAILED', 'The request failed.'))
  }
}

async function answerOf(exchange: Exchange, site: Site): Promise<AdminAnswer | 'streams'> {
  const refused = refuseForeign(exchange, site.names) ?? refuseHead(exchange)
  if (refused !== undefined) return refused
  const signedIn = site.signIn()?.answer(exchange)
  if (signedIn !== undefined) return await signedIn
  if (exchange.path === SESSION_PATH) return await answerBy(sessionEndpoint, exchange, site)
  if (exchange.path === METRICS_PATH) {
    const exposition = await site.metrics()
    if (exposition !== undefined) return await answerBy(metricsEndpoint(exposition), exchange, site)
  }
  if (exchange.path.startsWith(`${AS_ME_PATH}/`) && site.signIn() !== undefined)
    return await answerAsMe(exchange, site)
  const denied = await site.access.judge(exchange)
  if (denied !== undefined) return denied
  return await answerBy(endpointOf(exchange.path), exchange, site)
}

/** Sends a request of the page through the gateway with the token of the session, which the page never has. */
async function answerAsMe(exchange: Exchange, { access, passOn }: Site): Promise<AdminAnswer | 'streams'> {
  // Scripts of the page only: an answer of a service must not become a page of this origin.
  if (exchange.headers['sec-fetch-dest'] !== 'empty')
    return faultAnswer('FOREIGN_ORIGIN', 'Only a script of the console may do this.')
  const lent = await access.lend(exchange)
  if (typeof lent !== 'string') return lent
  exchange.identity = undefined
  exchange.path = exchange.path.slice(AS_ME_PATH.length)
  lendToken(exchange, lent)
  refuseCookies(exchange.reply)
  passOn(exchange)
  return 'streams'
}

const COOKIE_HEADERS = ['set-cookie', 'clear-site-data']

/** A service or the main listener sets and clears nothing at the origin of the console. */
function refuseCookies(reply: Reply): void {
  const send = reply.head.bind(reply)
  reply.head = (status, headers) =>
    send(
      status,
      headers.filter(
        (_, index) => !COOKIE_HEADERS.includes(headers[index - (index % 2)]?.toLowerCase() ?? ''),
      ),
    )
}

function endpointOf(path: string): Endpoint {
  if (path.startsWith(EXCHANGES_PATH)) return exchangeEndpoint
  return endpoints.get(path) ?? fileEndpoint
}

async function answerBy(
  endpoint: Endpoint,
  exchange: Exchange,
  site: Site,
): Promise<AdminAnswer | 'streams'> {
  const handler = endpoint[exchange.method === 'HEAD' ? 'GET' : exchange.method]
  if (handler === undefined) return notAllowed(Object.keys(endpoint))
  return await handler(exchange, site)
}

/** Refuses a faulty head, for example a path with dot segments. */
function refuseHead({ headFault }: Exchange): AdminAnswer | undefined {
  return headFault === undefined ? undefined : faultAnswer('INVALID', 'The request is not valid.')
}

function notAllowed(methods: readonly string[]): AdminAnswer {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return faultAnswer('METHOD_NOT_ALLOWED', 'The method is not allowed here.', { Allow: allowed.join(', ') })
}

const SEE_OTHER = 303

type Handler = (exchange: Exchange, site: Site) => AdminAnswer | 'streams' | Promise<AdminAnswer>
/** The handlers of a path by method. */
type Endpoint = Readonly<Record<string, Handler>>

const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/openapi.json', { GET: () => jsonAnswer<typeof adminOpenApi>(adminOpenApi) }],
  [
    '/api/gateway',
    { GET: async (exchange, site) => jsonAnswer<AdminBody<'Gateway'>>(await site.describeGateway(exchange)) },
  ],
  [
    '/api/routes',
    { GET: (exchange, site) => jsonAnswer<AdminBody<'Routes'>>(site.describeRoutes(exchange)) },
  ],
  ['/api/openapi', { GET: (exchange, { documents }) => documents.find(exchange) }],
  ['/api/usage', { GET: (exchange, site) => site.usage(exchange) }],
  ['/api/reload', { POST: async (_exchange, site) => jsonAnswer<AdminBody<'Reload'>>(await site.reload()) }],
  ['/api/feed', { GET: openFeed }],
  [
    '/api/records',
    {
      GET: (exchange, { records }) => records.find(exchange),
      POST: (exchange, { records }) => records.post(exchange),
    },
  ],
  ['/api/requests', { GET: (exchange, { records }) => records.requests(exchange) }],
  ['/api/recent', { GET: (exchange, { records }) => records.recent(exchange) }],
  ['/api/token', { POST: (exchange, { development }) => giveToken(exchange, development) }],
])

const exchangeEndpoint: Endpoint = { GET: (exchange, { records }) => records.detail(exchange) }

const METRICS_PATH = '/metrics'

/** Without access control, as on the main listener: those who scrape metrics have no token of an issuer. */
function metricsEndpoint({ contentType, text }: Exposition): Endpoint {
  const headers = { [headerNames.contentType]: contentType }
  return { GET: () => ({ status: outcomes.success.status, headers, body: Buffer.from(text) }) }
}

/** Without access control: it checks the token of its form itself. */
const sessionEndpoint: Endpoint = {
  // After a refused token the browser shows this address, and a refresh requests it.
  GET: () => ({ status: SEE_OTHER, headers: { Location: '/' } }),
  POST: (exchange, { access }) => access.signIn(exchange),
  DELETE: (exchange, { access }) => access.signOut(exchange),
}

const fileEndpoint: Endpoint = { GET: answerFile }

function answerFile(exchange: Exchange, { files, gatewayUrl }: Site): AdminAnswer {
  const file = files.answer(exchange)
  if (file === undefined) return faultAnswer('NOT_FOUND', 'There is nothing here.')
  return {
    ...file,
    headers: { ...file.headers, 'Content-Security-Policy': pagePolicy(gatewayUrl(exchange)) },
  }
}

/** The page may load from this listener and call the gateway; no site may frame it. */
function pagePolicy(gatewayUrl: string): string {
  return [
    "default-src 'self'",
    `connect-src 'self' ${gatewayUrl}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function openFeed(exchange: Exchange, { feed }: Site): AdminAnswer | 'streams' {
  const headers = { [headerNames.contentType]: 'text/event-stream', 'X-Accel-Buffering': 'no' }
  if (exchange.method === 'HEAD') return { status: outcomes.success.status, headers }
  if (feed.open(exchange, Object.entries({ ...commonHeaders, ...headers }).flat())) return 'streams'
  return faultAnswer('UNAVAILABLE', 'Too many read the feed already.', { [headerNames.retryAfter]: '5' })
}
