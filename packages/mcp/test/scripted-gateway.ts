import {
  type Caller,
  type CatalogueTool,
  createEndpoint,
  createFacade,
  createSeal,
  type Endpoint,
  type InnerAnswer,
  type InnerRequest,
  type LegacyMode,
  type McpAnswer,
  type RelayedMessage,
  readTool,
  type ToolSettings,
} from '@agentic-rest/mcp'
import { type Outcome, readTrace, writeOutcome } from '@agentic-rest/profile'
import { createManualClock, type ManualClock } from './manual-clock.ts'

export const publicUrl = 'https://agents.example.com/mcp'
export const secret = 'a secret of at least thirty-two bytes'
export const alice: Caller = { issuer: 'https://id.example.com', subject: 'alice', tenant: 'acme' }
export const bob: Caller = { ...alice, subject: 'bob' }

/** A JSON value that a test looks into. */
// biome-ignore lint/suspicious/noExplicitAny: bodies are compared as a whole or by a path that the test knows.
export type Json = any

/** The answer of a scripted gateway: an outcome, or a whole answer. */
export type Scripted = Outcome | InnerAnswer | Promise<Outcome | InnerAnswer>

export interface ScriptedOptions {
  readonly answer: (request: InnerRequest, count: number) => Scripted
  readonly mcp?: ToolSettings
  /** The extension `x-agentic` of the operation. */
  readonly extension?: object
  readonly method?: string
  readonly path?: string
  readonly legacy?: LegacyMode
  readonly instance?: string
  readonly secrets?: readonly string[]
  readonly clock?: ManualClock
  readonly relay?: (message: RelayedMessage) => void
}

/** A gateway without sockets: requests of the facade are recorded and answered by a function. */
export interface ScriptedGateway {
  readonly sent: InnerRequest[]
  readonly clock: ManualClock
  readonly endpoint: Endpoint
  readonly errors: unknown[]
}

const documentWith = (extension: object) => ({
  openapi: '3.1.1',
  paths: {
    '/campaigns/{campaignId}/optimizations': {
      post: {
        'x-agentic': extension,
        summary: 'Suggests how a campaign can do better.',
        parameters: [
          { name: 'Prefer', in: 'header', schema: { type: 'string' } },
          { name: 'dry', in: 'query', schema: { type: 'boolean' } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { goal: { type: 'string' }, budget: { type: 'integer' } },
                required: ['goal'],
              },
            },
          },
        },
        responses: { 400: { content: { 'application/vnd.agentic.clarification+json': { schema: {} } } } },
      },
    },
  },
})

export function scriptedGateway(options: ScriptedOptions): ScriptedGateway {
  const {
    mcp = {},
    extension = {},
    method = 'POST',
    path = '/campaigns/{campaignId}/optimizations',
    clock = createManualClock(),
  } = options
  const reading = readTool({ id: 'create-optimization', method, path, mcp }, documentWith(extension))
  if (!reading.ok) throw new Error(reading.fault.message)
  const sent: InnerRequest[] = []
  const errors: unknown[] = []
  const seal = createSeal({ secrets: options.secrets ?? [secret], publicUrl, environment: clock })
  const tools: readonly CatalogueTool[] = [reading.tool]
  const host = createFacade({
    seal,
    environment: clock,
    publicUrl,
    holdSeconds: 25,
    approvalMinutes: 4,
    tools: () => tools,
    mayUse: (_tool, { caller }) => caller.subject !== 'eve',
    canPoll: () => true,
    canFollow: () => true,
    async send(request) {
      sent.push(request)
      return written(await options.answer(request, sent.length), request)
    },
  })
  const endpoint = createEndpoint({
    host,
    seal,
    environment: clock,
    serverInfo: { name: 'acme-agents', version: '1.0.0', title: 'Agents of Acme' },
    legacy: options.legacy ?? 'sessions',
    listTtlSeconds: () => 300,
    instance: options.instance ?? 'w1',
    relay: options.relay,
    onError: (error) => errors.push(error),
  })
  return { sent, clock, endpoint, errors }
}

function written(answer: Outcome | InnerAnswer, request: InnerRequest): InnerAnswer {
  if (!('type' in answer)) return answer
  const { correlationId = 'none', requestId = 'none' } = readTrace(request.headers)
  return writeOutcome(answer, { correlationId, requestId })
}

/** The 412 of a service, with the place of its approval. */
export function approvalAnswer(request: InnerRequest, token: string): InnerAnswer {
  const outcome = {
    type: 'approval_required',
    message: 'Pay 500?',
    approvalToken: token,
    approver: { name: 'Finance' },
  } as const
  const answer = written(outcome, request)
  return { ...answer, headers: { ...answer.headers, Location: '/approvals/apr-81' } }
}

export interface PostOptions {
  readonly caller?: Caller
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Posts a body as it is. */
export function post(
  { endpoint }: ScriptedGateway,
  body: unknown,
  { caller = alice, headers = {}, signal }: PostOptions = {},
) {
  return endpoint.handle({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      host: 'agents.example.com',
      ...headers,
    },
    body,
    caller,
    signal: signal ?? new AbortController().signal,
  })
}

export interface CallOptions extends PostOptions {
  readonly capabilities?: Json
  readonly meta?: Json
  readonly params?: Json
  readonly id?: number
}

/** The request of 2026-07-28 for a method. */
export function modernRequest(
  method: string,
  params: Json,
  { capabilities = {}, meta = {}, id = 1 }: CallOptions = {},
) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  }
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
}

/** Sends a request of 2026-07-28. */
export function modern(gateway: ScriptedGateway, method: string, params: Json, options: CallOptions = {}) {
  const name = params.name ?? params.taskId
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
    ...options.headers,
  }
  return post(gateway, modernRequest(method, params, options), { ...options, headers })
}

/** Calls the tool in 2026-07-28. */
export async function call(gateway: ScriptedGateway, given: Json, options: CallOptions = {}): Promise<Json> {
  const params = { name: 'create-optimization', arguments: given, ...options.params }
  const answer = await modern(gateway, 'tools/call', params, options)
  return (await messagesOf(answer)).at(-1)
}

/** All messages of an answer. */
export async function messagesOf({ body }: McpAnswer): Promise<Json[]> {
  if (body === undefined) return []
  if (typeof body === 'string') return [JSON.parse(body)]
  const messages: Json[] = []
  for await (const frame of body) {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    if (data !== undefined) messages.push(JSON.parse(data))
  }
  return messages
}
