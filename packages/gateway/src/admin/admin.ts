import type { GatewayConfig } from '../config/config-schema.ts'
import { isLoopback } from '../config/schema/address-checks.ts'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Reloading } from '../lifetime/reload.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { Load } from '../limits/in-flight/load.ts'
import type { GatewayStatus } from '../line/parts.ts'
import { createListener, type Listener, type ListenerSettings } from '../listen/listener.ts'
import type { Log } from '../log.ts'
import { createAccess } from './access.ts'
import { describeGateway, describeRoutes } from './describe-gateway.ts'
import type { DevelopmentAccess } from './development-access.ts'
import { answerAdmin, type Site } from './endpoints.ts'
import { Feed, openWork } from './feed.ts'
import { hostName, ownNames, urlHost } from './foreign-sites.ts'
import { FeedPoll, type OtherWorkers } from './other-workers.ts'
import { createRecentExchanges } from './recent-exchanges.ts'
import { createRecords } from './records.ts'
import { createServiceDocuments } from './service-document.ts'
import { readStaticFiles, type StaticFiles } from './static-files.ts'
import { answerUsage, type UsageParts } from './usage.ts'

/** The settings of the admin listener outside the configuration. */
export interface AdminOptions {
  /** The folder of the console's static files; without it only the API is served. */
  readonly consoleFolder?: string | undefined
  /** The name of the configuration file, shown in the console. */
  readonly file?: string | undefined
  /** Allows every request from this machine and gives out tokens. Never set it where other machines reach the listener. */
  readonly development?: DevelopmentAccess | undefined
}

/** What the admin listener is made with. */
export interface AdminParts extends AdminOptions {
  /** The snapshot in use. */
  readonly current: () => Snapshot
  readonly reloading: Reloading
  readonly load: Load
  readonly log: Log
  readonly version: string
  /** The counts of the limits. */
  readonly limits: UsageParts['limits']
  /** The metrics of the gateway, of all its workers. */
  readonly status: Pick<GatewayStatus, 'metrics'>
  /** Takes a request as one of the main listener. */
  readonly passOn: (exchange: Exchange) => void
  /** The port of the main listener, once it is known. */
  readonly gatewayPort: () => number
  /** The other workers of this gateway, if it has several. */
  readonly otherWorkers?: OtherWorkers | undefined
}

/** The second listener of a gateway. Its work is bounded, so that it does not delay requests. */
export interface Admin {
  /** Resolves with the port when it accepts connections. */
  open(): Promise<number>
  /** The port while it is open. */
  readonly port: number | undefined
  /** Uses the certificate of a new snapshot, from the next handshake on. */
  apply(next: Snapshot): void
  /** Takes a finished request. */
  watch(exchange: Exchange): void
  close(): Promise<void>
}

type Settings = NonNullable<GatewayConfig['gateway']['admin']>

const LIMITS = {
  max_body_bytes: 1_048_576,
  max_header_bytes: 16_384,
  max_headers: 100,
  max_connections: 256,
  max_streams_per_connection: 100,
}

/** Makes the listener; `undefined` when none is configured. */
export function createAdmin(parts: AdminParts): Admin | undefined {
  const { admin: settings } = parts.current().config.gateway
  if (settings === undefined) return undefined
  if (parts.development !== undefined && !isLoopback(settings.host))
    throw new InitialisationError('gateway.admin.host must be a loopback address in development')
  const recent = createRecentExchanges()
  const feed = openFeed(parts)
  const state: { port: number | undefined } = { port: undefined }
  const site = createSite({ ...parts, settings, recent, feed })
  const listener = openAdminListener(settings, parts, (exchange) => void answerAdmin(exchange, site))
  return {
    apply: (next) => listener.apply(listenerSettings(next)),
    async open() {
      state.port = await listener.open()
      return state.port
    },
    get port() {
      return state.port
    },
    watch(exchange) {
      recent.add(exchange)
      feed.watch(exchange)
    },
    async close() {
      feed.close()
      await listener.close()
    },
  }
}

/** Opens both listeners, admin first: when the gateway takes requests, the console is there too. */
export async function openBoth(listener: Listener, admin: Admin | undefined): Promise<number> {
  await admin?.open()
  try {
    return await listener.open()
  } catch (error) {
    await admin?.close()
    throw error
  }
}

/** The feed of this process and of the gateway's other workers. */
function openFeed({ load, current, otherWorkers }: AdminParts): Feed {
  const own = () => openWork(load, current().config)
  if (otherWorkers === undefined) return new Feed({ openWork: own })
  const poll = new FeedPoll(otherWorkers, (batch) => feed.add(batch))
  const feed = new Feed({
    openWork: () => poll.withOthers(own()),
    onReading: (isRead) => poll.run(isRead),
  })
  return feed
}

function openAdminListener(
  { host, port }: Settings,
  { current, log }: AdminParts,
  handle: (exchange: Exchange) => void,
) {
  return createListener({
    ...listenerSettings(current()),
    host,
    port,
    handle,
    log,
    setting: 'gateway.admin.port',
  })
}

function listenerSettings({ adminCertificate: certificate }: Snapshot): ListenerSettings {
  return { limits: LIMITS, corsOrigins: undefined, certificate }
}

interface SiteParts extends AdminParts {
  readonly settings: Settings
  readonly recent: ReturnType<typeof createRecentExchanges>
  readonly feed: Feed
}

function createSite(parts: SiteParts): Site {
  const { current, reloading, settings, development, log, feed } = parts
  const startedAt = new Date()
  const urlFor = (exchange: Exchange) => gatewayUrl(exchange, parts)
  const access = createAccess({
    grants: settings.roles ?? {
      operator: settings.role === undefined ? undefined : { role: settings.role },
    },
    development: development !== undefined,
    validator: () => current().validator,
    people: () => current().people.admin,
  })
  return {
    log,
    names: ownNames(settings.host, [...settings.hosts, ...publicName(settings)]),
    access,
    passOn: parts.passOn,
    signIn: () => (development === undefined ? current().people.admin.signIn : undefined),
    files: consoleFiles(parts),
    records: createRecords(parts.recent, parts.otherWorkers, current),
    documents: createServiceDocuments(current),
    feed,
    development,
    gatewayUrl: urlFor,
    describeGateway: (exchange) =>
      describeGateway({
        ...parts,
        ...current(),
        lastReload: reloading.last,
        startedAt,
        gatewayUrl: urlFor(exchange),
        user: exchange.identity,
        reader: access.readerOf(exchange),
      }),
    describeRoutes: (exchange) => describeRoutes(current(), access.readerOf(exchange)),
    usage: (exchange) => answerUsage(exchange, parts),
    reload: parts.otherWorkers?.reload ?? reloading.run,
    metrics: () =>
      current().config.gateway.metrics.port === 'admin' ? parts.status.metrics.expose() : undefined,
  }
}

/** The gateway starts without a console if its files are missing or not built. */
function consoleFiles({ consoleFolder, log }: AdminParts): StaticFiles {
  try {
    return readStaticFiles(consoleFolder)
  } catch (error) {
    log.warn('the console cannot be served: its files cannot be read', { folder: consoleFolder, error })
    return readStaticFiles(undefined)
  }
}

function publicName({ public_url }: Settings): string[] {
  return public_url === undefined ? [] : [new URL(public_url).hostname]
}

const ANY_ADDRESS = ['0.0.0.0', '::']

/** The gateway's URL for a browser. A gateway on all addresses is reached by the host name of the request. */
function gatewayUrl(exchange: Exchange, { current, gatewayPort, settings }: SiteParts): string {
  if (settings.gateway_url !== undefined) return settings.gateway_url
  const { host, tls } = current().config.gateway
  const name = ANY_ADDRESS.includes(host) ? hostName(exchange) : urlHost(host)
  return `${tls === undefined ? 'http' : 'https'}://${name}:${gatewayPort()}`
}
