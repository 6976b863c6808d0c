import { headerKeys } from '@agentic-rest/profile'
import type { RouteConfig } from '../../config/config-schema.ts'
import { compilePolicy, type Policy, type PolicyContext } from '../../config/schema/policy-expression.ts'
import { refusal } from '../../errors.ts'
import type { Exchange } from '../../exchange.ts'
import type { Log } from '../../log.ts'
import type { PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { isForgeable } from '../../upstream/forwarded-headers.ts'

/** The name of this step. It has no section of its own: its settings are keys of the routes. */
export const ROUTE_POLICY = 'route-policy'

/** Judges `scopes` and `allow` of a route when caller and tenant are known (decision 39). */
export function routePolicy({ log }: { readonly log: Log }): PipelinePlugin {
  const policies = new WeakMap<RouteConfig, Policy>()
  const policyOf = (route: RouteConfig, text: string): Policy => {
    const known = policies.get(route)
    if (known !== undefined) return known
    const compiled = compilePolicy(text)
    policies.set(route, compiled)
    return compiled
  }
  return {
    name: ROUTE_POLICY,
    request(exchange) {
      const { route } = exchange
      if (route === undefined || !isGuarded(route)) return undefined
      const granted = exchange.identity?.scopes ?? []
      if (!route.scopes.every((scope) => granted.includes(scope))) {
        exchange.deniedPolicy = route.id
        return refusal('INSUFFICIENT_SCOPE')
      }
      if (route.allow === undefined || allows(policyOf(route, route.allow), exchange, log)) return undefined
      exchange.deniedPolicy = route.id
      return refusal('POLICY_DENIED')
    },
    plan: planRoutePolicy,
  }
}

function isGuarded({ scopes, allow }: RouteConfig): boolean {
  return scopes.length > 0 || allow !== undefined
}

/** The conditions of a route; the expression itself is only in the file. */
export function planRoutePolicy(route: RouteConfig): PluginPlan {
  const { scopes, allow } = route
  if (!isGuarded(route)) return { runs: false, why: 'the route names neither scopes nor allow' }
  const wanted = `${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(', ')}`
  const parts = [...(scopes.length === 0 ? [] : [wanted]), ...(allow === undefined ? [] : ['its expression'])]
  return { runs: true, why: `wants ${parts.join(' and ')}` }
}

/** An expression that fails denies, for example at a claim that the token lacks. */
function allows(policy: Policy, exchange: Exchange, log: Log): boolean {
  try {
    return policy(new RequestFacts(exchange))
  } catch (error) {
    const reason = error instanceof Error && 'summary' in error ? error.summary : error
    log.debug('a policy failed and denied', { request_id: exchange.trace.requestId, reason })
    return false
  }
}

const HIDDEN_HEADERS: ReadonlySet<string> = new Set([
  headerKeys.authorization,
  'proxy-authorization',
  'cookie',
])

/** The facts are read when an expression uses them: most need neither the query nor the headers. */
class RequestFacts implements PolicyContext {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get subject(): string {
    return this.#exchange.identity?.subject ?? ''
  }

  get roles(): readonly string[] {
    return this.#exchange.identity?.roles ?? []
  }

  get scopes(): readonly string[] {
    return this.#exchange.identity?.scopes ?? []
  }

  get tenant(): string {
    return this.#exchange.tenantId ?? ''
  }

  get claims(): PolicyContext['claims'] {
    return this.#exchange.identity?.claims ?? {}
  }

  get service_account(): boolean {
    return this.#exchange.identity?.serviceAccount === true
  }

  get route(): string {
    return this.#exchange.route?.id ?? ''
  }

  get method(): string {
    return this.#exchange.method
  }

  get params(): PolicyContext['params'] {
    return this.#exchange.params
  }

  get query(): PolicyContext['query'] {
    const values: Record<string, string[]> = Object.create(null)
    for (const [name, value] of new URLSearchParams(this.#exchange.query)) {
      const list = values[name]
      if (list === undefined) values[name] = [value]
      else list.push(value)
    }
    return values
  }

  /** Without headers that services believe because the gateway sets them: here they are the client's own. */
  get headers(): PolicyContext['headers'] {
    const values: Record<string, string> = Object.create(null)
    for (const [name, value] of Object.entries(this.#exchange.headers))
      if (value !== undefined && !HIDDEN_HEADERS.has(name) && !isForgeable(name)) values[name] = value
    return values
  }

  get now(): Date {
    return new Date()
  }
}
