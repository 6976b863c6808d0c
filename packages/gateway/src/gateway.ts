import type { Writable } from 'node:stream'
import { acceptsEventStream } from './accepts-event-stream.ts'
import type { GatewayConfig } from './config/config-schema.ts'
import { deliver } from './deliver.ts'
import { drain } from './drain.ts'
import { limitExceeded, refusal } from './error-codes.ts'
import type { CancelReason, Exchange, StepResult } from './exchange.ts'
import { isPreflight, preflightHeaders } from './listen/cors.ts'
import { createListener, type Listener } from './listen/listener.ts'
import { loadServerCertificate } from './listen/server-certificate.ts'
import { createLoad, type Load } from './load.ts'
import type { Log } from './log.ts'
import { createMetrics, type Metrics, type UpstreamState } from './metrics.ts'
import { createOwnEndpoints, type OwnEndpoints } from './own-endpoints.ts'
import { traceContext } from './plugins/otel-audit/trace-context.ts'
import { deliveredResult, disconnected, sendOutcome, sendPreflight } from './respond.ts'
import type { Route } from './route.ts'
import { createSnapshot, type Snapshot } from './snapshot.ts'
import { createLocalStreamSlots, type StreamSlots } from './stream-slots.ts'
import { checkResponse } from './upstream/check-response.ts'
import { forward } from './upstream/forward.ts'
import { createHttpClient } from './upstream/http-client.ts'
import type { UpstreamPool } from './upstream/pools.ts'

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly config: GatewayConfig
  /** The folder that file names in the configuration start from. */
  readonly baseFolder: string
  readonly version: string
  readonly log: Log
  /** Where the audit exporter `stdout` writes. */
  readonly stdout: Writable
}

/** A gateway: it owns everything it uses, and nothing is left when it is closed. */
export interface Gateway {
  /** Resolves with the port once requests are answered; rejects with an `InitialisationError`. */
  start(): Promise<number>
  /** Finishes what is in flight, then ends. */
  drain(): Promise<void>
  /** Ends at once. */
  close(): Promise<void>
  readonly metrics: Metrics
}

interface Parts {
  readonly snapshot: Snapshot
  readonly load: Load
  readonly slots: StreamSlots
  readonly metrics: Metrics
  readonly own: OwnEndpoints
  readonly log: Log
  readonly isClosing: () => boolean
}

/** The whole life of a request. */
async function handle(exchange: Exchange, parts: Parts): Promise<void> {
  if (parts.own.answer(exchange) || answerPreflight(exchange, parts)) return
  parts.load.enter(exchange)
  try {
    const refused =
      admit(exchange, parts) ??
      findRoute(exchange, parts) ??
      (await runPipeline(exchange, parts)) ??
      takeSlot(exchange, parts) ??
      (await callUpstream(exchange, parts))
    if (refused !== undefined) sendOutcome(exchange, refused)
  } catch (error) {
    fail(exchange, parts, error)
  } finally {
    finish(exchange, parts)
  }
}

/** Forwards the request, checks the answer and delivers it; returns what to answer instead when that fails. */
async function callUpstream(exchange: Exchange, parts: Parts): Promise<StepResult> {
  const { route } = exchange
  if (route === undefined) return refusal('ROUTE_NOT_FOUND')
  const { config, pools } = parts.snapshot
  const { traceparent } = traceContext(exchange)
  const forwarded = await forward(exchange, route, {
    pool: pools.get(route.config),
    traceparent,
    log: parts.log,
  })
  if ('refused' in forwarded) return failStream(exchange, parts, forwarded.refused)
  const maxBytes = config.gateway.limits.max_agentic_response_bytes
  const checked = await checkResponse(exchange, route, { answer: forwarded.answer, maxBytes })
  parts.metrics.violations(route.id, exchange.violations)
  if ('refused' in checked) return checked.refused
  const delivery = await deliver(exchange, checked.checked, { ownsCors: config.gateway.cors !== undefined })
  exchange.result = deliveredResult(checked.checked, delivery)
  if (exchange.streaming && delivery !== 'complete' && delivery !== 'shutdown')
    parts.metrics.streamFailed(exchange, delivery)
  return undefined
}

function failStream(exchange: Exchange, { metrics }: Parts, refused: StepResult): StepResult {
  if (exchange.streaming) metrics.streamFailed(exchange, 'upstream_error')
  return refused
}

/** The only catch of a request. The cause goes to the log; the client gets an outcome and its trace. */
function fail(exchange: Exchange, { log, metrics }: Parts, error: unknown): void {
  if (!exchange.signal.aborted) {
    log.error('a request failed', { request_id: exchange.trace.requestId, error })
    sendOutcome(exchange, refusal('INTERNAL_ERROR'))
    return
  }
  const reason = exchange.signal.reason as CancelReason
  if (exchange.releaseSlot !== undefined && reason !== 'shutdown') metrics.streamFailed(exchange, reason)
  if (reason === 'client_disconnect') exchange.result = disconnected
  else sendOutcome(exchange, refusal(reason === 'timeout' ? 'EXECUTION_TIMEOUT' : 'SHUTTING_DOWN'))
}

/** Gives everything back, counts the request and completes its audit record. */
function finish(exchange: Exchange, { snapshot, load, metrics }: Parts): void {
  clearTimeout(exchange.deadline)
  load.leave(exchange)
  if (exchange.releaseSlot !== undefined) {
    exchange.releaseSlot()
    metrics.streamClosed(exchange)
  }
  exchange.result ??= disconnected
  metrics.requestFinished(exchange)
  if (exchange.route !== undefined) snapshot.pipeline.response(exchange)
}

/** What ends a request before anything is looked up for it. */
function admit(exchange: Exchange, { snapshot, load, isClosing }: Parts): StepResult {
  if (isClosing()) return refusal('SHUTTING_DOWN')
  if (exchange.headFault !== undefined) return exchange.headFault
  if (load.isOverloaded()) return refusal('OVERLOADED')
  const { max_body_bytes } = snapshot.config.gateway.limits
  return (exchange.body.length ?? 0) > max_body_bytes ? refusal('BODY_TOO_LARGE') : undefined
}

function findRoute(exchange: Exchange, { snapshot }: Parts): StepResult {
  const match = snapshot.router.match(exchange.method, exchange.path)
  if (match.route === undefined) {
    exchange.allowedMethods = match.allowedMethods
    return refusal(match.allowedMethods.length === 0 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED')
  }
  exchange.route = match.route
  exchange.params = match.params
  exchange.streaming = match.route.config.mode === 'sse' && acceptsEventStream(exchange.headers['accept'])
  startDeadline(exchange, match.route)
  return undefined
}

const STREAM_SURPLUS_SECONDS = 30

/** The gateway's own timer, from the arrival of the head; 0 means none. */
function startDeadline(exchange: Exchange, { config }: Route): void {
  if (config.executionTimeoutSeconds === 0) return
  const seconds = config.executionTimeoutSeconds + (exchange.streaming ? STREAM_SURPLUS_SECONDS : 0)
  const elapsedMs = performance.now() - exchange.startedAt
  exchange.deadline = setTimeout(() => exchange.cancel('timeout'), seconds * 1000 - elapsedMs)
}

function runPipeline(exchange: Exchange, { snapshot }: Parts): StepResult | Promise<StepResult> {
  const result = snapshot.pipeline.request(exchange)
  return result instanceof Promise ? unlessCancelled(result, exchange.signal) : result
}

/** A plugin that waits for the outside world must not keep a request beyond its deadline or its client. */
function unlessCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(signal.reason)
    signal.addEventListener('abort', cancelled, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancelled))
  })
}

const STREAM_RETRY_SECONDS = 60

function takeSlot(exchange: Exchange, { slots, load, metrics }: Parts): StepResult {
  if (!exchange.streaming) return undefined
  exchange.releaseSlot = slots.take(exchange.tenantId ?? '')
  if (exchange.releaseSlot === undefined) {
    metrics.streamFailed(exchange, 'limit_exceeded')
    return limitExceeded(STREAM_RETRY_SECONDS)
  }
  load.streamStarted()
  metrics.streamOpened(exchange)
  return undefined
}

/** A preflight carries no token: it is answered before the pipeline, for exact origins only. */
function answerPreflight(exchange: Exchange, { snapshot, isClosing }: Parts): boolean {
  const { cors } = snapshot.config.gateway
  if (cors === undefined || isClosing() || exchange.headFault !== undefined) return false
  if (!isPreflight(exchange.method, exchange.headers)) return false
  const methods = snapshot.router.methods(exchange.path)
  if (methods.length === 0) return false
  const known = cors.origins.includes(exchange.headers['origin'] ?? '')
  sendPreflight(exchange, known ? preflightHeaders(methods) : [])
  return true
}

/** Makes a gateway. Nothing is global: two of them in one process know nothing of each other. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, log } = options
  const state = { closing: false, draining: false }
  const http = createHttpClient()
  const load = createLoad(() => config.gateway.limits.max_in_flight)
  const metrics: Metrics = createMetrics({
    version: options.version,
    inFlight: () => load.inFlight,
    upstreams: () => snapshot.pools.all.map(upstreamState),
  })
  const snapshot = createSnapshot(config, { ...options, http, metrics })
  const own = createOwnEndpoints({
    metrics,
    isDraining: () => state.draining,
    degraded: () => snapshot.pipeline.plugins.flatMap((plugin) => plugin.degraded?.() ?? []),
  })
  const slots = createLocalStreamSlots(() => config.gateway.llm.max_sse_connections_per_tenant)
  const parts: Parts = { snapshot, load, slots, metrics, own, log, isClosing: () => state.closing }
  const listener = openListener(parts)
  const close = async () => {
    await listener.close()
    await snapshot.pipeline.close()
    await Promise.all([snapshot.pools.close(), http.close()])
    load.close()
    metrics.close()
  }
  return {
    metrics,
    start: () => listener.open(),
    drain: () => drain({ config: config.gateway, state, listener, load, log }).then(close),
    close,
  }
}

function openListener(parts: Parts): Listener {
  const { gateway } = parts.snapshot.config
  return createListener({
    host: gateway.host,
    port: gateway.port,
    limits: gateway.limits,
    corsOrigins: gateway.cors?.origins,
    certificate: gateway.tls && loadServerCertificate(gateway.tls),
    log: parts.log,
    handle: (exchange) => void handle(exchange, parts),
  })
}

function upstreamState({ name, pool }: UpstreamPool): UpstreamState {
  return { name, connections: pool.stats.connected, queued: pool.stats.queued }
}
