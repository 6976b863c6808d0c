import { checkTarget } from './address-checks.ts'
import { checked, flag, integer, list, oneOf, section, text } from './field-kinds.ts'
import { featureName, role, scope } from './formats.ts'
import { routeIdempotencySection } from './idempotency-sections.ts'
import { routeMcpSection } from './mcp-section.ts'
import { checkPathTemplate } from './path-template.ts'
import { checkPolicy } from './policy-expression.ts'
import { targetTlsFiles } from './upstream-section.ts'

/** Methods a route may have. TRACE and CONNECT are never forwarded (hardening F12). */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

// The id is a metric label and an audit field; "a method plus a path template" must fit in it (specification, Audit event).
const checkRouteId = (id: string): string | undefined => {
  if (!/^[!-~](?:[ -~]{0,126}[!-~])?$/.test(id)) return 'must be 1 to 128 printable ASCII characters'
  return id === 'unmatched' ? 'is reserved: metrics use it for requests without a route' : undefined
}

/** One entry of `routes`. */
export const routeSection = section({
  id: checked('a route id', checkRouteId).describe('Name of the route in metrics, audit records and logs.'),
  method: oneOf(METHODS).describe('Request method.'),
  path: checked('a path template', checkPathTemplate).describe(
    'Path template such as /orders/{orderId}/refunds; a literal segment beats a parameter.',
  ),
  target: checked('a URL', checkTarget)
    .optional()
    .describe('Base URL of the upstream; its path is kept in front. A route has this or upstream.'),
  upstream: text('the name of an upstream')
    .optional()
    .describe('Name of one of upstreams, for several targets. A route has this or target.'),
  mode: oneOf(['json', 'sse'])
    .default('json')
    .describe('`sse` streams to clients that send Accept: text/event-stream.'),
  executionTimeoutSeconds: integer(0, 604_800)
    .default(0)
    .describe('Deadline counted from the request head; streams get 30 s more; 0 means none.'),
  roles: list(role()).default([]).describe('Roles the caller must have, all of them.'),
  scopes: list(scope()).default([]).describe('Scopes the token must have, all of them: claim scope or scp.'),
  allow: checked('a policy', checkPolicy)
    .optional()
    .describe(
      'Condition in CEL over caller and request, for example tenant == "acme"; false or a failure denies.',
    ),
  license: featureName().optional().describe("Feature the tenant's licence must include."),
  conformance: oneOf(['enforce', 'report', 'off'])
    .default('report')
    .describe('What happens when an answer breaks the profile: refuse it, count it, nothing.'),
  forwardAuthorization: flag().default(true).describe('Whether the upstream gets the bearer token.'),
  inject_usage: flag()
    .optional()
    .describe(
      'Whether a streamed chat request asks its upstream for the tokens used: stream_options.include_usage. Absent means true with mode sse where a policy counts tokens or cost, unless the path ends with /messages.',
    ),
  idempotency: routeIdempotencySection
    .optional()
    .describe('Sends requests with the same Idempotency-Key to the upstream once; absent means off.'),
  mcp: routeMcpSection
    .optional()
    .describe('Makes the route a tool of the endpoint for MCP clients; absent means no tool.'),
  ...targetTlsFiles,
})
