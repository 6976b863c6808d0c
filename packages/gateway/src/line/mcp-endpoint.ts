import type { McpAnswer } from '@agentic-rest/mcp'
import { malformedStatuses, type Outcome, outcomes } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import type { BuiltInName } from '../config/schema/plugin-sections.ts'
import { refusal } from '../errors.ts'
import { Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import { LimitReachedError, refuse } from '../limits/refuse.ts'
import type { McpServer, McpSource } from '../mcp/mcp-mount.ts'
import { parseMessage } from '../mcp/parse-message.ts'
import { admit } from './admit.ts'
import { profileHeaders, sendHead, sendJson, sendOwn } from './own-answer.ts'
import type { Parts } from './parts.ts'
import { challenge, enter, leave, respond } from './respond.ts'

type Handle = (exchange: Exchange, parts: Parts) => Promise<void>

const metadataMethods: readonly string[] = ['GET', 'HEAD']

/**
 * Answers a request to the endpoint for MCP clients and to its metadata; false for all other requests. Requests of calls
 * are never for the endpoint, so that no call can call it again.
 */
export function answerMcp(exchange: Exchange, parts: Parts, handle: Handle): boolean {
  const { mcp } = parts.snapshot
  if (mcp === undefined || exchange.mcpCall !== undefined || exchange.headFault !== undefined) return false
  const { server } = mcp
  if (server === undefined) return false
  if (server.metadataPaths.includes(exchange.path)) {
    sendMetadata(exchange, server)
    return true
  }
  if (exchange.path !== mcp.section.path) return false
  void serve(exchange, { parts, server, handle })
  return true
}

/** The metadata is for clients that have no token yet. */
function sendMetadata(exchange: Exchange, { metadata }: McpServer): void {
  exchange.allowedMethods = metadataMethods
  if (!metadataMethods.includes(exchange.method)) {
    respond(exchange, refusal('METHOD_NOT_ALLOWED'))
    return
  }
  sendJson(exchange, metadata)
}

const refusedFacts = { method: 'unknown', version: 'unknown', result: 'refused' }

interface Mounted {
  readonly parts: Parts
  readonly server: McpServer
  readonly handle: Handle
}

/** The life of a request to the endpoint. Its calls are requests of their own, with their own records and counts. */
async function serve(exchange: Exchange, mounted: Mounted): Promise<void> {
  const { parts, server } = mounted
  enter(exchange, parts)
  try {
    if (!server.isAllowedOrigin(exchange.headers)) return refuseOrigin(exchange, parts)
    const refused = admit(exchange, parts) ?? (await identify(exchange, mounted))
    if (refused === undefined) await answer(exchange, mounted)
    else sendRefusal(exchange, mounted, refused)
  } catch (error) {
    if (error instanceof LimitReachedError) sendRefusal(exchange, mounted, refuse(exchange, error.limit))
    else giveUp(exchange, parts, error)
  } finally {
    leave(exchange, parts)
  }
}

const INVALID_REQUEST = -32_600
const { badRequest: BAD_REQUEST } = malformedStatuses

/** Before anything else: a page of another site must not learn whether a token is good. */
function refuseOrigin(exchange: Exchange, parts: Parts): void {
  const message = 'This origin or host may not use the endpoint'
  refuseMessage(exchange, parts, { status: outcomes.forbidden.status, message })
}

/** Refuses a message that was not parsed, so that its id is not known. */
function refuseMessage(
  exchange: Exchange,
  { metrics }: Parts,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  metrics.mcpAnswered(refusedFacts)
  sendJson(exchange, { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } }, status)
}

function giveUp(exchange: Exchange, { log }: Parts, error: unknown): void {
  if (!exchange.signal.aborted) log.error('a request failed', { request_id: exchange.trace.requestId, error })
  respond(exchange, refusal('INTERNAL_ERROR'))
}

function sendRefusal(exchange: Exchange, { parts, server }: Mounted, outcome: Outcome): void {
  parts.metrics.mcpAnswered(refusedFacts)
  exchange.challenge = server.challenge(challenge(outcome))
  respond(exchange, outcome, parts)
}

/** Validates the token, whose audience has to be this endpoint, and finds the tenant. */
async function identify(exchange: Exchange, { parts }: Mounted): Promise<StepResult> {
  const refused = await run('token-validator', exchange, parts)
  if (refused !== undefined) return refused
  if (!isMeantForEndpoint(exchange, parts)) return refusal('AUDIENCE_MISMATCH')
  // Without a tenant the client can still list tools; the requests of its calls get the typed refusal.
  await run('tenant-injector', exchange, parts)
  return parts.load.takeShare(exchange) ? undefined : refuse(exchange, 'max_in_flight_per_tenant')
}

async function run(name: BuiltInName, exchange: Exchange, { snapshot }: Parts): Promise<StepResult> {
  const plugin = snapshot.plugins.find((each) => each.name === name)
  const result = plugin?.request(exchange)
  return result instanceof Promise ? await unlessCancelled(result, exchange.signal) : result
}

/** MCP: a token for another service must not be good here. Without a configured address there is none to compare with. */
function isMeantForEndpoint({ identity }: Exchange, { snapshot }: Parts): boolean {
  const publicUrl = snapshot.config.mcp?.public_url
  if (identity === undefined || publicUrl === undefined) return true
  return [identity.claims['aud']].flat().includes(publicUrl)
}

async function answer(exchange: Exchange, mounted: Mounted): Promise<void> {
  const { parts, server, handle } = mounted
  const { gateway, mcp } = parts.snapshot.config
  const { max_body_bytes: longest } = gateway.limits
  const bytes = await exchange.body.read(Math.min(mcp?.max_body_bytes ?? longest, longest))
  if (bytes === undefined) return sendRefusal(exchange, mounted, refusal('BODY_TOO_LARGE'))
  const message = parseMessage(bytes)
  if (message.fault !== undefined)
    return refuseMessage(exchange, parts, { status: BAD_REQUEST, message: message.fault })
  const gone = new AbortController()
  exchange.signal.addEventListener('abort', () => gone.abort())
  if (exchange.signal.aborted) return
  const { identity, method, headers } = exchange
  const { issuer = '', subject = '' } = identity ?? {}
  const source: McpSource = {
    exchange,
    run: (inner) => handle(inner, parts),
    mayUse: (route) => mayUse(route, exchange, parts),
  }
  const given = await server.handle({
    method,
    headers,
    body: message.body,
    caller: { issuer, subject, tenant: exchange.tenantId },
    source,
    signal: gone.signal,
  })
  await send(exchange, given)
  parts.metrics.mcpAnswered(given.facts)
}

/** For the list alone: a tool that is called all the same gets the typed refusal of its route. */
async function mayUse(route: RouteConfig, outer: Exchange, parts: Parts): Promise<boolean> {
  const { roles = [], scopes = [] } = outer.identity ?? {}
  if (!route.roles.every((role) => roles.includes(role))) return false
  if (!route.scopes.every((scope) => scopes.includes(scope))) return false
  if (route.license === undefined) return true
  const probe = new Exchange(outer, outer)
  probe.route = route
  probe.tenantId = outer.tenantId
  return (await run('license-check', probe, parts)) === undefined
}

async function send(exchange: Exchange, { status, headers, body }: McpAnswer): Promise<void> {
  const { reply } = exchange
  if (body === undefined || typeof body === 'string') {
    sendOwn(exchange, { status, headers, body: body === undefined ? undefined : Buffer.from(body) })
    return
  }
  if (!sendHead(exchange, { status, headers: { ...headers, ...profileHeaders(exchange) } })) return
  reply.flush()
  for await (const frame of body) {
    // Returning the generator cancels the call.
    if (reply.isClosed) break
    if (!reply.write(Buffer.from(frame))) await drained(exchange)
  }
  if (!reply.isClosed) reply.end()
}

/** A client that does not read must not fill our memory (F13). */
async function drained({ reply, signal }: Exchange): Promise<void> {
  const drain = Promise.withResolvers<void>()
  reply.onDrain(drain.resolve)
  await unlessCancelled(drain.promise, signal).catch(() => undefined)
}
