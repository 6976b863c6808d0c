import type { RequestListener } from 'node:http'
import { type AuditEmitter, noopAuditEmitter } from '@agentic-rest/profile'
import { approvalOperations } from './approval-operations.ts'
import { eventTypes, openRecord } from './audit/request-record.ts'
import type { CallObserver } from './call/call.ts'
import type { CallIdentity } from './call/identity.ts'
import { createDurable, type DurableSettings } from './durable.ts'
import { handleRequest, type ServiceParts } from './handle-request.ts'
import { createNodeListener } from './http/node-listener.ts'
import { ownEndOf } from './http/own-hosts.ts'
import { createRouter } from './http/router.ts'
import { createInFlight } from './in-flight.ts'
import type { JsonSchema } from './input/json-schema.ts'
import { type Log, safeLog, stderrLog } from './log.ts'
import { createMetrics, type ServiceMetrics } from './metrics.ts'
import { DOCUMENT_PATH, openApiDocument } from './openapi/document.ts'
import type { Operation } from './operation.ts'
import { backgroundOperations, type OwnOptions } from './own-operations.ts'
import { createJobRunner } from './run-job.ts'
import type { ApprovalObserver } from './runtime/approvals/approval-store.ts'
import { type ApprovalRow, shownDigest } from './runtime/approvals/row.ts'
import type { Releasers } from './runtime/contract.ts'
import type { Store, StoreOptions } from './runtime/store.ts'
import { readStreamSettings, type StreamSettings } from './stream/streamed-answer.ts'
import { createTrust, type TrustOptions } from './trust/trust.ts'

/** The options of a service. */
export interface ServiceOptions {
  readonly operations: readonly Operation[]
  /** A store, or the options for one. Without it, operations that need a store use memory. */
  readonly store?: Store | StoreOptions
  /** Gets an audit record of every answer. Without it there are no records. */
  readonly audit?: AuditEmitter
  readonly title?: string
  readonly version?: string
  readonly description?: string
  /** JSON lines on stderr by default. */
  readonly log?: Log
  /**
   * The gateway whose signed identities are believed (`X-Agentic-Identity`). Requests without one are refused, and the plain
   * headers are ignored. Without this option the plain headers are believed.
   */
  readonly trust?: TrustOptions
  /** The tenant of requests without one. By default they are refused. Not for services behind a gateway. */
  readonly defaultTenant?: string
  /** The roles that see and cancel every background operation of their tenant; none by default (decision 38). */
  readonly operationRoles?: readonly string[]
  /** 1 MiB by default. */
  readonly maxBodyBytes?: number
  /** The path prefix that a framework or proxy removes from requests. It is added to URLs in answers. */
  readonly publicPath?: string
  /** The identity of `call`; none by default. */
  readonly identity?: CallIdentity
  /** The `fetch` of `call`. */
  readonly fetch?: typeof fetch
  /** 30 by default. */
  readonly callTimeoutSeconds?: number
  /** The size limit of answers to `call`; 10 MiB by default. */
  readonly maxResponseBytes?: number
  readonly callObserver?: CallObserver
  /** The clock, leases and workers of the runtime. */
  readonly runtime?: DurableSettings
  /** The heartbeat and the time limit of event streams. */
  readonly streams?: StreamSettings
  /** The time limit of `close` for requests in flight; 25 by default. */
  readonly closeSeconds?: number
}

/** A service. `close` releases everything it created. */
export interface Service {
  /**
   * Answers a request. It never rejects. The bindings of Node and Hono tell at which address it arrived; `trust` without an
   * `audience` needs them.
   */
  fetch(request: Request, bindings?: unknown): Promise<Response>
  /** The listener for `node:http` and frameworks based on it. */
  readonly listener: RequestListener
  /** The OpenAPI 3.1 document, also served at `/openapi.json`. */
  openapi(): JsonSchema
  /** The metrics in the text format of Prometheus. `serve` answers `GET /metrics` with them. */
  metrics(): Promise<string>
  /** Waits for the requests in flight, stops the workers, and closes the store if the service created it. */
  close(): Promise<void>
}

/** Creates a service. Throws if operations conflict with each other. */
export function createService(options: ServiceOptions): Service {
  const { store, runtime = {}, publicPath = '', operationRoles = [], closeSeconds = 25 } = options
  const log = safeLog(options.log ?? stderrLog())
  assertPublicPath(publicPath)
  if (store === undefined && options.operations.some(needsStore)) {
    log.warn('keys, operations and approvals are kept in memory, because the service was given no store')
  }
  const emitter = options.audit ?? noopAuditEmitter
  const metrics: ServiceMetrics = createMetrics({
    durable: () => durable,
    log,
    operations: options.operations.filter(needsStore).map(({ id }) => id),
  })
  const observeApproval: ApprovalObserver = (change) => {
    metrics.observe(change)
    if (change.type === 'expired') recordExpired({ emitter, log }, change.row)
  }
  const durable = createDurable({
    store,
    runtime,
    log,
    releasers: releasersOf(options.operations),
    approvalOperations: options.operations
      .filter(({ approval }) => approval !== undefined)
      .map(({ id }) => id),
    observeApproval,
    publicPath,
    fetch: options.fetch ?? globalThis.fetch,
  })
  const operations = withOwn(options.operations, { durable, publicPath, operationRoles })
  const document = openApiDocument(operations, {
    title: options.title ?? 'Agentic service',
    version: options.version ?? '0.0.0',
    description: options.description,
    publicPath,
  })
  const parts = createParts(options, {
    log,
    durable,
    publicPath,
    streamCounts: metrics.streams,
    operations,
    document,
  })
  durable.start(runnersOf(operations, parts))
  const fetch = (request: Request, bindings?: unknown) =>
    parts.inFlight.track(handleRequest(parts, request, ownEndOf(bindings)))
  return {
    fetch,
    listener: createNodeListener(fetch),
    openapi: () => document,
    metrics: () => metrics.expose(),
    async close() {
      await parts.inFlight.drain(closeSeconds * 1000)
      await durable.close()
    },
  }
}

/** The request of an expired approval is over, so the record has only its correlation id. */
function recordExpired({ emitter, log }: Pick<ServiceParts, 'emitter' | 'log'>, row: ApprovalRow): void {
  const { audit } = openRecord({
    emitter,
    log,
    operation: row.operation,
    tenant: row.tenant_id,
    actor: row.requester,
    subject: row.requester,
    issuer: row.requester_issuer ?? undefined,
    trace: { correlationId: row.correlation_id ?? '', requestId: '' },
    resourceId: row.approval_id,
  })
  const attributes = { approval_id: row.approval_id, digest: shownDigest(row), status: 'expired' }
  audit.emit({ event_type: eventTypes.approvalExpired, outcome: 'approval_required', attributes })
}

function assertPublicPath(path: string): void {
  if (path === '' || /^\/.*[^/]$/.test(path)) return
  throw new TypeError(`publicPath has to begin with a slash and must not end with one, not "${path}"`)
}

function needsStore({ idempotent, approval, async: canWait }: Operation): boolean {
  return idempotent || canWait !== false || approval !== undefined
}

type Made = Pick<ServiceParts, 'log' | 'durable' | 'publicPath' | 'streamCounts'> & {
  readonly operations: readonly Operation[]
  readonly document: JsonSchema
}

function createParts(options: ServiceOptions, { operations, document, ...made }: Made): ServiceParts {
  const fetch = options.fetch ?? globalThis.fetch
  return {
    ...made,
    trust: options.trust && createTrust(options.trust, { fetch, log: made.log }),
    router: createRouter(operations),
    emitter: options.audit ?? noopAuditEmitter,
    inFlight: createInFlight(),
    document: () => document,
    defaultTenant: options.defaultTenant,
    streams: readStreamSettings(options.streams),
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    callOptions: {
      fetch,
      identity: options.identity,
      timeoutSeconds: options.callTimeoutSeconds ?? 30,
      maxResponseBytes: options.maxResponseBytes ?? 10 * 1024 * 1024,
      observer: options.callObserver,
    },
  }
}

/** The operations of the user, and the built-in operations they need. */
function withOwn(operations: readonly Operation[], own: OwnOptions): readonly Operation[] {
  if (operations.some(({ path }) => path === DOCUMENT_PATH)) {
    throw new TypeError(`${DOCUMENT_PATH} is the path of the document and cannot be an operation's`)
  }
  return [
    ...operations,
    ...(operations.some((operation) => operation.async !== false) ? backgroundOperations(own) : []),
    ...(operations.some(({ approval }) => approval !== undefined) ? approvalOperations(own) : []),
  ]
}

function releasersOf(operations: readonly Operation[]): Releasers {
  return new Map(operations.flatMap(({ id, release }) => (release === undefined ? [] : [[id, release]])))
}

function runnersOf(operations: readonly Operation[], { emitter, log, callOptions, durable }: ServiceParts) {
  const inBackground = operations.filter((operation) => operation.async !== false)
  const options = { emitter, log, callOptions, durable }
  return new Map(inBackground.map((operation) => [operation.id, createJobRunner(operation, options)]))
}
