import { headerKeys } from '@agentic-rest/profile'
import type { RouteConfig } from '../../config/config-schema.ts'
import { type Exchange, type Identity, setAuditAttribute } from '../../exchange.ts'
import type {
  Exchange as CustomExchange,
  PluginAudit,
  PluginBody,
  PluginIdentity,
  PluginResult,
  PluginRoute,
} from './define-plugin.ts'

/** What one plugin may do with one exchange. */
export interface Access {
  readonly route: PluginRoute
  /** The plugin sees the bearer token. */
  readonly token: boolean
  /** The plugin's `request` has not returned its answer yet, so it may replace the body. */
  open: boolean
}

/**
 * An exchange as one custom plugin sees it. Private fields keep the exchange itself, and with it the token, out of
 * reach of property access, JSON and inspection. Every object it hands out is a frozen copy.
 */
export class ExchangeView implements CustomExchange {
  readonly #exchange: Exchange
  readonly #access: Access
  readonly #body: BodyView
  readonly #audit: AuditView
  #headers: CustomExchange['headers'] | undefined
  #rawHeaders: readonly string[] | undefined
  #params: CustomExchange['params'] | undefined
  #trace: CustomExchange['trace'] | undefined
  #identity: PluginIdentity | undefined
  #signal: AbortSignal | undefined

  constructor(exchange: Exchange, access: Access) {
    this.#exchange = exchange
    this.#access = access
    this.#body = new BodyView(exchange, access)
    this.#audit = new AuditView(exchange)
    Object.freeze(this)
  }

  get method(): string {
    return this.#exchange.method
  }

  get path(): string {
    return this.#exchange.path
  }

  get query(): string {
    return this.#exchange.query
  }

  get headers(): CustomExchange['headers'] {
    this.#headers ??= copyHeaders(this.#exchange.headers, this.#access.token)
    return this.#headers
  }

  get rawHeaders(): readonly string[] {
    this.#rawHeaders ??= copyRawHeaders(this.#exchange.rawHeaders, this.#access.token)
    return this.#rawHeaders
  }

  get trace(): CustomExchange['trace'] {
    this.#trace ??= Object.freeze({ ...this.#exchange.trace })
    return this.#trace
  }

  get route(): PluginRoute {
    return this.#access.route
  }

  get params(): CustomExchange['params'] {
    this.#params ??= Object.freeze(Object.assign(Object.create(null), this.#exchange.params))
    return this.#params as CustomExchange['params']
  }

  get identity(): PluginIdentity | undefined {
    const { identity } = this.#exchange
    if (identity !== undefined) this.#identity ??= copyIdentity(identity)
    return this.#identity
  }

  get actor(): string {
    return this.#exchange.actor
  }

  get tenantId(): string | undefined {
    return this.#exchange.tenantId
  }

  get body(): PluginBody {
    return this.#body
  }

  get signal(): AbortSignal {
    this.#signal ??= abortSignalOf(this.#exchange)
    return this.#signal
  }

  get audit(): PluginAudit {
    return this.#audit
  }

  get result(): PluginResult | undefined {
    const { result } = this.#exchange
    return result && Object.freeze({ ...result })
  }
}

class BodyView implements PluginBody {
  readonly #exchange: Exchange
  readonly #access: Access

  constructor(exchange: Exchange, access: Access) {
    this.#exchange = exchange
    this.#access = access
    Object.freeze(this)
  }

  get length(): number | undefined {
    return this.#exchange.body.length
  }

  read(maxBytes: number = Number.MAX_SAFE_INTEGER): Promise<Uint8Array | undefined> {
    const reading = this.#copy(maxBytes)
    // A plugin may not wait for its read; a rejection without a handler would end the process.
    reading.catch(() => undefined)
    return reading
  }

  async #copy(maxBytes: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#exchange.body.read(maxBytes)
    // A copy: the memory behind the original also holds the head of the request, with its token, and other requests.
    return bytes && new Uint8Array(bytes)
  }

  replace(content: string | Uint8Array): void {
    if (!this.#access.open)
      throw new Error('the body can be replaced only before request has returned its answer')
    if (typeof content !== 'string' && !(content instanceof Uint8Array))
      throw new TypeError('a body is replaced by a string or a Uint8Array')
    this.#exchange.body.replace(typeof content === 'string' ? Buffer.from(content) : Buffer.from(content))
  }
}

class AuditView implements PluginAudit {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    Object.freeze(this)
  }

  set(name: string, value: string | number | boolean): void {
    setAuditAttribute(this.#exchange, name, value)
  }
}

// Without this, a plugin could replace a getter and so read the token in another plugin's view.
for (const { prototype } of [ExchangeView, BodyView, AuditView]) Object.freeze(prototype)

const CREDENTIALS: ReadonlySet<string> = new Set([headerKeys.authorization, 'proxy-authorization'])

function copyHeaders(headers: Exchange['headers'], token: boolean): CustomExchange['headers'] {
  const copy: Record<string, string | undefined> = Object.assign(Object.create(null), headers)
  if (!token) for (const name of CREDENTIALS) delete copy[name]
  return Object.freeze(copy)
}

function copyRawHeaders(rawHeaders: readonly string[], token: boolean): readonly string[] {
  const copy: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (token || !CREDENTIALS.has(name.toLowerCase())) copy.push(name, rawHeaders[index + 1] ?? '')
  }
  return Object.freeze(copy)
}

/** The validator keeps claims for later requests of the same token, so a change would outlive this one. */
function copyIdentity({ subject, roles, claims, serviceAccount }: Identity): PluginIdentity {
  freezeTree(claims)
  const issuer = typeof claims['iss'] === 'string' ? claims['iss'] : undefined
  return Object.freeze({ subject, issuer, roles: Object.freeze([...roles]), claims, serviceAccount })
}

/** Freezes plain data without recursion: claims can be nested deeper than the stack (F14). */
function freezeTree(value: object): void {
  const waiting: object[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const child of Object.values(next))
      if (typeof child === 'object' && child !== null) waiting.push(child)
  }
}

/** Made for a plugin that asks for it: an `AbortController` costs ten times the gateway's own signal. */
function abortSignalOf({ signal }: Exchange): AbortSignal {
  const controller = new AbortController()
  const abort = () =>
    controller.abort(new DOMException(`the request has ended: ${String(signal.reason)}`, 'AbortError'))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return controller.signal
}

/** A route without its target: addresses of services are the operator's business. */
export function viewRoute(route: RouteConfig): PluginRoute {
  const { id, method, path, mode, roles, license, executionTimeoutSeconds } = route
  return Object.freeze({
    id,
    method,
    path,
    mode,
    roles: Object.freeze([...roles]),
    license,
    executionTimeoutSeconds,
  })
}
