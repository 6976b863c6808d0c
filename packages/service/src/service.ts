import type { RequestListener } from 'node:http'
import { type AuditEmitter, noopAuditEmitter } from '@agentic-rest/profile'
import type { CallObserver } from './call/call.ts'
import type { CallIdentity } from './call/identity.ts'
import { createDurable, type DurableSettings } from './durable.ts'
import { handleRequest, type ServiceParts } from './handle-request.ts'
import { createNodeListener } from './http/node-listener.ts'
import { createRouter } from './http/router.ts'
import { createInFlight } from './in-flight.ts'
import type { JsonSchema } from './input/json-schema.ts'
import { type Log, safeLog, stderrLog } from './log.ts'
import { DOCUMENT_PATH, openApiDocument } from './openapi/document.ts'
import type { Operation } from './operation.ts'
import { approvalOperations, backgroundOperations, type OwnOptions } from './own-operations.ts'
import { createJobRunner } from './run-job.ts'
import type { Releasers } from './runtime/contract.ts'
import type { Store, StoreOptions } from './runtime/store.ts'

/** What a service is made of. */
export interface ServiceOptions {
  readonly operations: readonly Operation[]
  /** A store of your own, or how to make one; in memory when an operation needs one and none is given. */
  readonly store?: Store | StoreOptions
  /** Takes a record of every answer; nothing is recorded without it. */
  readonly audit?: AuditEmitter
  readonly title?: string
  readonly version?: string
  readonly description?: string
  /** JSON lines on stderr unless set. */
  readonly log?: Log
  /** The tenant of requests that name none; without it they are refused. Not for services behind a gateway. */
  readonly defaultTenant?: string
  /** 1 MiB unless set. */
  readonly maxBodyBytes?: number
  /** The path that a framework or proxy takes off before the service sees a request, for the URLs in its answers. */
  readonly publicPath?: string
  /** Whose identity `call` carries; none unless set. */
  readonly identity?: CallIdentity
  /** What `call` sends with. */
  readonly fetch?: typeof fetch
  /** 30 unless set. */
  readonly callTimeoutSeconds?: number
  /** The longest answer that `call` reads: 10 MiB unless set. */
  readonly maxResponseBytes?: number
  readonly callObserver?: CallObserver
  /** The clock, leases and workers of the runtime. */
  readonly runtime?: DurableSettings
  /** How long `close` waits for requests: 25 unless set. */
  readonly closeSeconds?: number
}

/** A service. It owns everything it made, and nothing is left when it is closed. */
export interface Service {
  /** Answers a request; it never rejects. */
  fetch(request: Request): Promise<Response>
  /** The same as a listener for `node:http` and the frameworks on it. */
  readonly listener: RequestListener
  /** The OpenAPI 3.1 document, also served at `/openapi.json`. */
  openapi(): JsonSchema
  /** Finishes requests in flight, stops the workers, and closes the store if the service made it. */
  close(): Promise<void>
}

/** Makes a service of operations. It throws for operations that cannot be served together. */
export function createService(options: ServiceOptions): Service {
  const { store, runtime = {}, publicPath = '', closeSeconds = 25 } = options
  const log = safeLog(options.log ?? stderrLog())
  assertPublicPath(publicPath)
  if (store === undefined && options.operations.some(needsStore)) {
    log.warn('keys, operations and approvals are kept in memory, because the service was given no store')
  }
  const durable = createDurable({ store, runtime, log, releasers: releasersOf(options.operations) })
  const operations = withOwn(options.operations, { durable, publicPath })
  const document = openApiDocument(operations, {
    title: options.title ?? 'Agentic service',
    version: options.version ?? '0.0.0',
    description: options.description,
    publicPath,
  })
  const parts = createParts(options, { log, durable, publicPath, operations, document })
  durable.start(runnersOf(operations, parts))
  const fetch = (request: Request) => parts.inFlight.track(handleRequest(parts, request))
  return {
    fetch,
    listener: createNodeListener(fetch),
    openapi: () => document,
    async close() {
      await parts.inFlight.drain(closeSeconds * 1000)
      await durable.close()
    },
  }
}

function assertPublicPath(path: string): void {
  if (path === '' || /^\/.*[^/]$/.test(path)) return
  throw new TypeError(`publicPath has to begin with a slash and must not end with one, not "${path}"`)
}

function needsStore({ idempotent, approval, async: canWait }: Operation): boolean {
  return idempotent || canWait || approval !== undefined
}

type Made = Pick<ServiceParts, 'log' | 'durable' | 'publicPath'> & {
  readonly operations: readonly Operation[]
  readonly document: JsonSchema
}

function createParts(options: ServiceOptions, { operations, document, ...made }: Made): ServiceParts {
  return {
    ...made,
    router: createRouter(operations),
    emitter: options.audit ?? noopAuditEmitter,
    inFlight: createInFlight(),
    document: () => document,
    defaultTenant: options.defaultTenant,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    callOptions: {
      fetch: options.fetch ?? globalThis.fetch,
      identity: options.identity,
      timeoutSeconds: options.callTimeoutSeconds ?? 30,
      maxResponseBytes: options.maxResponseBytes ?? 10 * 1024 * 1024,
      observer: options.callObserver,
    },
  }
}

/** The operations of the user, and of the service itself where they need them. */
function withOwn(operations: readonly Operation[], own: OwnOptions): readonly Operation[] {
  if (operations.some(({ path }) => path === DOCUMENT_PATH)) {
    throw new TypeError(`${DOCUMENT_PATH} is the path of the document and cannot be an operation's`)
  }
  return [
    ...operations,
    ...(operations.some((operation) => operation.async) ? backgroundOperations(own) : []),
    ...(operations.some(({ approval }) => approval !== undefined) ? approvalOperations(own) : []),
  ]
}

function releasersOf(operations: readonly Operation[]): Releasers {
  return new Map(operations.flatMap(({ id, release }) => (release === undefined ? [] : [[id, release]])))
}

function runnersOf(operations: readonly Operation[], { emitter, log, callOptions, durable }: ServiceParts) {
  const inBackground = operations.filter((operation) => operation.async)
  const options = { emitter, log, callOptions, durable }
  return new Map(inBackground.map((operation) => [operation.id, createJobRunner(operation, options)]))
}
