import { once } from 'node:events'
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { headers, METRIC_TEXT_TYPE } from '@agentic-rest/profile'
import { toResponse, writeAnswer } from './answer.ts'
import { type ClosableAudit, jsonLinesAudit, teeAudit } from './audit/emitters.ts'
import { httpAudit } from './audit/http-audit.ts'
import { openTrace } from './http/caller.ts'
import { createNodeListener, type NodeFetch } from './http/node-listener.ts'
import { createHostCheck, type HostCheck } from './http/own-hosts.ts'
import { stderrLog } from './log.ts'
import { refusal } from './refusals.ts'
import { createStore } from './runtime/sql-store.ts'
import type { Store, StoreOptions } from './runtime/store.ts'
import type { TrustOptions } from './trust/trust.ts'

/** Anything with `close`: a service, a store, an audit emitter. */
export interface Closable {
  close(): Promise<void>
  /** The metrics of a service. */
  metrics?(): Promise<string>
}

/** The options of `serve`. */
export interface ServeOptions {
  /** Answers requests, for example `service.fetch` or the `fetch` of a Hono app. */
  readonly fetch: NodeFetch
  /** A number or a text such as `process.env['PORT'] ?? 8081`. 0 picks a free port. */
  readonly port: number | string
  /** 127.0.0.1 by default. Only the gateway may reach a service, because the service trusts its headers. */
  readonly host?: string
  /**
   * Further names of this server, without ports. A request for another host is refused with 403, except `localhost`, `host`
   * and the address at which it arrives.
   */
  readonly hosts?: readonly string[]
  /** Closed at the end, in this order: the service first, then its store and its audit emitter. */
  readonly closes?: readonly Closable[]
}

/** A listening server. */
export interface Served {
  readonly port: number
  /** Stops the server as a signal does; resolves when everything is closed. */
  stop(): Promise<void>
}

const HEALTH_PATH = '/healthz'
const METRICS_PATH = '/metrics'
const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Serves until SIGTERM or SIGINT, which wait for the requests in flight. The same signal a second time ends the process
 * at once. `GET /healthz` is answered with 200, `GET /metrics` with the metrics of
 * the services in `closes`. If the port is not available, it closes everything and rejects.
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const { fetch, port, host = '127.0.0.1', hosts = [], closes = [] } = options
  const isOwnHost = createHostCheck({ host, hosts })
  const server = createServer(
    createNodeListener(withHealth(withOwnHosts(withMetrics(fetch, closes), isOwnHost))),
  )
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= end(server, closes).finally(unlisten)
    return stopped
  }
  const hear = () => void stop().catch(tellFailure)
  const unlisten = () => {
    for (const signal of signals) process.off(signal, hear)
  }
  for (const signal of signals) process.once(signal, hear)
  try {
    server.listen(readPort(port), host)
    await once(server, 'listening')
  } catch (cause) {
    await stop()
    throw listenError(cause, { host, port })
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

/** The reason why it cannot listen, with the address. The code of the system stays. */
function listenError(cause: unknown, { host, port }: Required<Pick<ServeOptions, 'host' | 'port'>>): unknown {
  const { code } = cause as NodeJS.ErrnoException
  const reason = code === undefined ? undefined : listenFaults.get(code)
  if (reason === undefined) return cause
  const error = Object.assign(new Error(`port ${port} on ${host} ${reason}`, { cause }), { code })
  endInOneLine(error)
  return error
}

const listenFaults: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is taken: end the other program, or choose another port'],
  ['EACCES', 'may not be used by this user: choose another port'],
])

/** A program that does not catch this error ends with its message. A stack would show lines that are not at fault. */
function endInOneLine(error: Error): void {
  const tell = (uncaught: unknown) => {
    if (uncaught !== error) throw uncaught
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
  process.once('uncaughtException', tell)
  // Node reports an uncaught rejection before it runs an immediate.
  setImmediate(() => process.off('uncaughtException', tell))
}

function withHealth(fetch: NodeFetch): NodeFetch {
  return function answer(request, bindings) {
    const isHealth = new URL(request.url).pathname === HEALTH_PATH && /^(?:GET|HEAD)$/.test(request.method)
    return isHealth ? new Response('ok\n') : fetch(request, bindings)
  }
}

/** Answers `GET /metrics` with the metrics of the services. No route of a gateway leads there. */
function withMetrics(fetch: NodeFetch, closes: readonly Closable[]): NodeFetch {
  const sources = closes.filter(({ metrics }) => metrics !== undefined)
  if (sources.length === 0) return fetch
  return async function answer(request, bindings) {
    if (request.method !== 'GET' || new URL(request.url).pathname !== METRICS_PATH)
      return fetch(request, bindings)
    const texts = await Promise.all(sources.map((source) => source.metrics?.()))
    return new Response(texts.join(''), { headers: { [headers.contentType]: METRIC_TEXT_TYPE } })
  }
}

/** Probes ask by many names and learn nothing, so health is answered before this. */
function withOwnHosts(fetch: NodeFetch, isOwnHost: HostCheck): NodeFetch {
  return function answerOwn(request, bindings) {
    const { localAddress } = bindings.incoming.socket
    if (isOwnHost(new URL(request.url), localAddress)) return fetch(request, bindings)
    const answer = { outcome: refusal('HOST_NOT_ALLOWED'), headers: {} }
    return toResponse(writeAnswer(answer, openTrace(request).trace), request.method)
  }
}

function readPort(given: number | string): number {
  const port = Number(given)
  if (given !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new TypeError(`the port is a whole number from 0 to 65535, not ${JSON.stringify(given)}`)
}

/** Accepts no more connections, waits for the requests in flight, then closes all connections. */
async function end(server: Server, closes: readonly Closable[]): Promise<void> {
  server.close()
  const causes: unknown[] = []
  for (const each of closes) await each.close().catch((cause: unknown) => causes.push(cause))
  server.closeAllConnections()
  if (causes.length > 0) throw new AggregateError(causes, 'not everything could be closed')
}

function tellFailure({ errors }: AggregateError): void {
  process.exitCode = 1
  for (const error of errors) stderrLog().error('something could not be closed', { error })
}

/** Environment variables, for example `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export type { ClosableAudit } from './audit/emitters.ts'

/**
 * Creates the store of the environment: the server of `DATABASE_URL`, or in the file
 * `DATABASE_URL_FILE`, else a database in `DATA_FOLDER`, else memory.
 */
export function storeFromEnvironment(env: Environment = process.env): Store {
  return createStore(placeOfData(env))
}

/** The options of `createService` from the environment: the gateway whose keys are at `TRUST_JWKS_URL`; none if it is not set. */
export function trustFromEnvironment(env: Environment = process.env): { readonly trust?: TrustOptions } {
  const [jwksUrl, audience] = [given(env, 'TRUST_JWKS_URL'), given(env, 'TRUST_AUDIENCE')]
  if (jwksUrl === undefined) return {}
  const issuer = given(env, 'TRUST_ISSUER') ?? 'agentic-gateway'
  return { trust: { jwksUrl, issuer, ...(audience !== undefined && { audience }) } }
}

function placeOfData(env: Environment): StoreOptions {
  const url = given(env, 'DATABASE_URL') ?? givenFile(env, 'DATABASE_URL_FILE')
  if (url !== undefined) return { url }
  const folder = given(env, 'DATA_FOLDER')
  return folder === undefined ? { memory: true } : { folder: join(folder, 'database') }
}

/** Creates the audit emitter of the environment: it appends to `AUDIT_FILE` and posts to `RECORDS_URL`, if they are set. */
export function auditFromEnvironment(env: Environment = process.env): ClosableAudit {
  const [file, url] = [given(env, 'AUDIT_FILE'), given(env, 'RECORDS_URL')]
  const lines = file === undefined ? undefined : createWriteStream(file, { flags: 'a' })
  const posted = url === undefined ? undefined : httpAudit({ url })
  const { emit } = teeAudit(lines && jsonLinesAudit(lines), posted)
  return {
    emit,
    async close() {
      await Promise.all([lines && ended(lines), posted?.close()])
    },
  }
}

/** Ends a file. Its write errors were reported with each lost record. */
function ended(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    else stream.once('close', resolve).end()
  })
}

/** An empty variable counts as not set. */
function given(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name]
}

/** The content of the file that a variable names, without the newline at its end. The error names the variable only. */
function givenFile(env: Environment, name: string): string | undefined {
  const file = given(env, name)
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8').trimEnd()
  } catch (cause) {
    throw new Error(`the file of ${name} cannot be read`, { cause })
  }
  if (text === '') throw new Error(`the file of ${name} is empty`)
  return text
}
