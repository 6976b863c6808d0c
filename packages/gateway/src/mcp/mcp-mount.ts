import type * as Package from '@agentic-rest/mcp'
import type { GatewayConfig, McpSection, RouteConfig } from '../config/config-schema.ts'
import { mcpSecretsOf } from '../config/secret-files.ts'
import { keepsKeys } from '../config/warnings.ts'
import type { Exchange } from '../exchange.ts'
import { createSpanIds } from '../listen/accept-request.ts'
import type { Log } from '../log.ts'
import type { UpstreamPools } from '../upstream/pools.ts'
import { sendInner } from './inner-exchange.ts'
import type { McpWorld } from './mcp-links.ts'
import {
  hasStatusRoute,
  leadsToService,
  type RouteOf,
  type RouteTool,
  readDocument,
  routeToolsOf,
  toolRoutes,
} from './tool-routes.ts'

/** The surroundings of a request to the endpoint: its exchange, and the steps of the snapshot that serves it. */
export interface McpSource {
  readonly exchange: Exchange
  /** Takes an inner exchange through all steps of a request. */
  run(inner: Exchange): Promise<void>
  /** Whether the caller may use a route, by its roles, scopes and licence. */
  mayUse(route: RouteConfig): boolean | Promise<boolean>
}

/** The parts of one configuration. */
export interface McpMountOptions extends McpWorld {
  readonly config: GatewayConfig
  readonly section: McpSection
  readonly pools: UpstreamPools
  /** The route of a GET request for a canonical path. */
  readonly routeOf: RouteOf
  readonly version: string
  readonly log: Log
}

/** The endpoint of a configuration, once its package is loaded and its address is known. */
export interface McpServer {
  readonly publicUrl: string
  readonly metadataPaths: readonly string[]
  /** The document of RFC 9728. */
  readonly metadata: object
  readonly handle: Package.Endpoint['handle']
  /** Whether `Origin` and `Host` of a request are allowed. */
  isAllowedOrigin(headers: Exchange['headers']): boolean
  /** The challenge of a 401, with the address of the metadata. */
  challenge(own: string): string
}

const DOCUMENT_SECONDS = 300
const RELAY_MISSING =
  'mcp: the shared store is out of reach, answers of clients are not passed on to other gateways'

/** The tools and the endpoint of one configuration. The package is loaded only for a configuration with the section. */
export class McpMount {
  readonly section: McpSection
  readonly #options: McpMountOptions
  readonly #secrets: readonly string[]
  readonly #routes: readonly Package.TargetRoute[]
  readonly #nextSpanId = createSpanIds()
  #loading: Promise<void> | undefined
  #package: typeof Package | undefined
  #catalogue: Package.Catalogue | undefined
  #endpoint: Package.Endpoint | undefined
  #server: McpServer | undefined
  readonly #warned = new Set<string>()
  #isClosed = false

  /** Reads the files of the section. Throws an `InitialisationError` that names the key of a bad one. */
  constructor(options: McpMountOptions) {
    this.#options = options
    this.section = options.section
    this.#secrets = mcpSecretsOf(options.section, options.secret)
    this.#routes = toolRoutes(options.config)
  }

  /** Loads the package, begins to read the documents of the services, and looks for other gateways. */
  load(): Promise<void> {
    this.#loading ??= import('@agentic-rest/mcp').then(async (module) => {
      if (this.#isClosed) return
      this.#package = module
      this.#catalogue = module.createCatalogue({
        routes: this.#routes,
        environment: module.systemEnvironment,
        refreshSeconds: DOCUMENT_SECONDS,
        load: (service) => readDocument(service, this.#options),
        onChange: () => {
          this.#warnOfRepeats()
          this.#options.links.toolsChanged()
        },
      })
      // Only clients of 2025 are asked by one process and answer another.
      if (this.section.legacy === 'sessions') await this.#options.links.open()
    })
    return this.#loading
  }

  /** Resolves after the first attempt to read all documents. */
  async ready(): Promise<void> {
    await this.load()
    await this.#catalogue?.ready
  }

  /** The endpoint; undefined until the package is loaded and the port is known. */
  get server(): McpServer | undefined {
    const publicUrl = this.#publicUrl()
    if (this.#package === undefined || publicUrl === undefined || this.#isClosed) return this.#server
    this.#server ??= this.#open(this.#package, publicUrl)
    return this.#server
  }

  /** Whether tools will come as soon as their services answer: a client must not keep such a list. */
  #lacksDocuments(): boolean {
    return this.#catalogue?.faults.some(({ fault }) => fault.code === 'no_document') ?? true
  }

  /** Names the routes that are no tool at the moment, and missing gateways. */
  degraded(): readonly string[] {
    const faults = this.#catalogue?.faults ?? []
    const missing = faults.map(({ routeId, fault }) => `${routeId} (${fault.code})`).join(', ')
    const isAlone = this.section.legacy === 'sessions' && this.#options.links.isAlone
    return [...(faults.length === 0 ? [] : [`mcp: ${missing}`]), ...(isAlone ? [RELAY_MISSING] : [])]
  }

  /** The tools of the routes, and the reason of those that are none at the moment. */
  routeTools(): ReadonlyMap<string, RouteTool> {
    return routeToolsOf(this.#routes, this.#catalogue?.faults)
  }

  close(): void {
    this.#isClosed = true
    this.#catalogue?.close()
    if (this.#endpoint === undefined) return
    this.#endpoint.close()
    this.#options.links.leave(this.#endpoint)
  }

  /** Only a gateway on a loopback address does without a configured one. */
  #publicUrl(): string | undefined {
    const { config, section, port } = this.#options
    if (section.public_url !== undefined) return section.public_url
    if (port() === 0) return undefined
    const { host, tls } = config.gateway
    const name = host.includes(':') ? `[${host}]` : host
    return `${tls === undefined ? 'http' : 'https'}://${name}:${port()}${section.path}`
  }

  /** A client that calls again after a lost answer would do the work twice. */
  #warnOfRepeats(): void {
    const kept = new Set(this.#options.config.routes.filter(keepsKeys).map(({ id }) => id))
    for (const { route, isIdempotent } of this.#catalogue?.tools ?? []) {
      const isKnown = route.mcp.input === 'openapi' && !this.#warned.has(route.id)
      if (!isKnown || route.method !== 'POST' || isIdempotent || kept.has(route.id)) continue
      this.#warned.add(route.id)
      this.#options.log.warn('a tool of MCP has no idempotency: its service names no Idempotency-Key', {
        route: route.id,
      })
    }
  }

  #open(module: typeof Package, publicUrl: string): McpServer {
    const { section, config, links, version, log } = this.#options
    const environment = module.systemEnvironment
    const seal = module.createSeal({ secrets: this.#secrets, publicUrl, environment })
    const endpoint = module.createEndpoint({
      host: this.#facade(module, { seal, publicUrl }),
      seal,
      environment,
      serverInfo: { name: section.name, version, title: section.title },
      instructions: section.instructions,
      legacy: section.legacy,
      listTtlSeconds: () => (this.#lacksDocuments() ? 0 : section.list_ttl_seconds),
      instance: links.nextInstance(),
      relay: (message) => links.relay(message, () => module.sealMessage(message, seal)),
      onError: (error) => log.error('an MCP call failed', { error }),
    })
    this.#endpoint = endpoint
    links.join(endpoint, (text) => module.openMessage(text, seal))
    const scopes = scopesOf(config)
    const { issuers } = config.plugins['token-validator']
    const people = issuers.filter(({ service_account }) => !service_account).map(({ issuer }) => issuer)
    return {
      publicUrl,
      metadataPaths: module.metadataPaths(publicUrl),
      metadata: module.resourceMetadata({ publicUrl, issuers: people, scopes, title: section.title }),
      handle: endpoint.handle,
      isAllowedOrigin: (headers) => module.isAllowedOrigin(headers, { publicUrl, origins: section.origins }),
      challenge: (own) => module.challengeOf(publicUrl, own, scopes),
    }
  }

  #facade(
    module: typeof Package,
    sealed: Pick<Package.FacadeOptions, 'seal' | 'publicUrl'>,
  ): Package.ToolHost {
    const { section, config } = this.#options
    const routes = new Map(config.routes.map((route) => [route.id, route]))
    const { max_agentic_response_bytes: maxBytes } = config.gateway.limits
    return module.createFacade({
      ...sealed,
      environment: module.systemEnvironment,
      holdSeconds: section.hold_seconds,
      approvalMinutes: section.approval_minutes,
      tools: () => this.#catalogue?.tools ?? [],
      mayUse: ({ route: { id } }, { source }) => {
        const route = routes.get(id)
        return route !== undefined && (source as McpSource).mayUse(route)
      },
      canPoll: ({ route: { id } }) => hasStatusRoute(config, routes.get(id)),
      canFollow: ({ route: { id } }, path) => leadsToService(path, routes.get(id), this.#options.routeOf),
      send: (request) => {
        const { exchange: outer, run } = request.source as McpSource
        const { readEvents } = module
        const forwardsToken = section.forward_authorization
        return sendInner(request, {
          outer,
          run,
          spanId: this.#nextSpanId(),
          forwardsToken,
          maxBytes,
          readEvents,
        })
      },
    })
  }
}

/** The scopes that all tools need together. */
function scopesOf({ routes }: GatewayConfig): string[] {
  return [...new Set(routes.filter(({ mcp }) => mcp !== undefined).flatMap(({ scopes }) => scopes))]
}
