import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { text } from 'node:stream/consumers'
import { elementsOf, headerKeys, membersOf, outcomes, parseJson } from '@agentic-rest/profile'
import { parse } from 'yaml'
import { type FoundOperation, findOperations } from '../init/find-operations.ts'
import { asOpenApi, NO_OPENAPI, type OpenApi, textOf } from '../init/openapi.ts'
import { extensionOf, hasStream } from '../init/plan-operations.ts'

/** An operation of a service, as a gateway needs it. */
export interface ServiceOperation {
  readonly id: string
  readonly method: FoundOperation['method']
  /** The path in front of a gateway: the public path of the service included. */
  readonly path: string
  readonly summary: string | undefined
  readonly streams: boolean
  /** The operation may answer 202 and name the address of its status. */
  readonly async: boolean
  /** The role that decides about its approvals. */
  readonly approvalRole: string | undefined
  /** The operation itself has one effect for each idempotency key. */
  readonly honoursKeys: boolean
  /** Added by the SDK for answers of other operations. */
  readonly serves: 'background' | 'approvals' | undefined
}

/** A service by its OpenAPI document. */
export interface ServiceDocument {
  readonly operations: readonly ServiceOperation[]
  /** Paths that no route can have. */
  readonly notes: readonly string[]
  /** Whether the service says that it follows the profile. */
  readonly followsProfile: boolean
  /** The absolute address of the first server. */
  readonly server: string | undefined
  /** The path of the first server, if it is relative; empty for none. */
  readonly publicPath: string
}

// The ids of routes in the template of `agentic init`, by the ids of the SDK's operations.
const SDK_OPERATIONS = new Map<string, readonly [id: string, serves: ServiceOperation['serves']]>([
  ['agentic.operation-status', ['operation-status', 'background']],
  ['agentic.cancel-operation', ['cancel-operation', 'background']],
  ['agentic.show-approval', ['show-approval', 'approvals']],
  ['agentic.approve', ['approve', 'approvals']],
  ['agentic.reject', ['reject', 'approvals']],
  ['agentic.withdraw', ['withdraw', 'approvals']],
  ['agentic.list-approvals', ['list-approvals', 'approvals']],
])

/** The operations of a document. */
export function describeService(api: OpenApi): ServiceDocument {
  const { found, notes } = findOperations(api)
  const url = textOf(membersOf(elementsOf(api.document['servers'])[0])['url']) ?? ''
  const publicPath = url.startsWith('/') ? url.replace(/\/+$/, '') : ''
  return {
    operations: found.map((each) => describeOperation(each, { api, publicPath })),
    notes,
    followsProfile: api.document[headerKeys.profile] !== undefined,
    server: /^https?:\/\//.test(url) ? url.replace(/\/+$/, '') : undefined,
    publicPath,
  }
}

function describeOperation(
  { method, path, operation, item }: FoundOperation,
  { api, publicPath }: { readonly api: OpenApi; readonly publicPath: string },
): ServiceOperation {
  const wish = textOf(operation['operationId']) ?? `${method.toLowerCase()}${path}`
  const [id, serves] = SDK_OPERATIONS.get(wish) ?? [wish, undefined]
  const { async: canWait, approvalRole } = extensionOf(operation)
  return {
    id,
    method,
    path: `${publicPath}${path}`,
    summary: textOf(operation['summary']),
    streams: hasStream(operation, api),
    async: canWait,
    approvalRole,
    honoursKeys: hasKeyParameter({ operation, item }, api),
    serves,
  }
}

function hasKeyParameter(
  { operation, item }: Pick<FoundOperation, 'operation' | 'item'>,
  api: OpenApi,
): boolean {
  return [...elementsOf(item['parameters']), ...elementsOf(operation['parameters'])]
    .map((parameter) => api.follow(parameter))
    .some(
      ({ in: place, name }) =>
        place === 'header' && textOf(name)?.toLowerCase() === headerKeys.idempotencyKey,
    )
}

/** A fetched document. `absent`: the service answers with something else; `silent`: it does not answer. */
export type Fetched =
  | { readonly type: 'document'; readonly api: OpenApi }
  | { readonly type: 'absent'; readonly reason: string }
  | { readonly type: 'silent'; readonly reason: string }

// A service may create its embedded database at its start.
const ANSWER_MS = 20_000
const SLOW_MS = 3_000
const MAX_BYTES = 33_554_432

/** The authorities of an https address, and the certificate to show it. */
export interface TlsFiles {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

/** How a document is fetched. */
export interface FetchOptions {
  readonly tls?: TlsFiles
  /** Called once if the answer takes long. */
  readonly onSlow?: (() => void) | undefined
}

/** Fetches an OpenAPI document. */
export async function fetchDocument(url: URL, { tls, onSlow }: FetchOptions = {}): Promise<Fetched> {
  const slow = setTimeout(() => onSlow?.(), SLOW_MS)
  try {
    const { status, body } = await fetchText(url, tls)
    if (status !== outcomes.success.status) return { type: 'absent', reason: `it answers ${status}` }
    const api = asOpenApi(parseText(body))
    return api === undefined ? { type: 'absent', reason: NO_OPENAPI } : { type: 'document', api }
  } catch (error) {
    return { type: 'silent', reason: reasonOf(error) }
  } finally {
    clearTimeout(slow)
  }
}

interface FetchedText {
  readonly status: number | undefined
  readonly body: string
}

function fetchText(url: URL, tls: TlsFiles | undefined): Promise<FetchedText> {
  const { promise, resolve, reject } = Promise.withResolvers<FetchedText>()
  const get = url.protocol === 'https:' ? getSecure : getPlain
  const options = { agent: false, signal: AbortSignal.timeout(ANSWER_MS), ...tls } as const
  const request = get(url, options, (response) => {
    let size = 0
    response.on('data', ({ length }: Buffer) => {
      size += length
      if (size > MAX_BYTES) response.destroy(new Error(`its document is larger than ${MAX_BYTES} bytes`))
    })
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
  })
  request.on('error', reject)
  return promise
}

/** YAML includes JSON, but its parser is much slower. */
function parseText(body: string): unknown {
  const { value, fault } = parseJson(body, { isMessage: true })
  return fault ? parseYaml(body) : value
}

function parseYaml(body: string): unknown {
  try {
    return parse(body, { logLevel: 'silent', maxAliasCount: 1000 })
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `no answer in ${ANSWER_MS} ms`
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
