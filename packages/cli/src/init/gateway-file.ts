import type { PlannedOperation } from './plan-operations.ts'

/** A commented gateway.yaml for these operations. */
export function gatewayFile(operations: readonly PlannedOperation[]): string {
  return `${head}${operations.map(routeText).join('')}`
}

const head = `# yaml-language-server: $schema=./gateway.schema.json
#
# The gateway in front of this project's service. "agentic check gateway.yaml" finds mistakes. Editors complete keys from
# the schema above. \${NAME:-default} is a variable of the environment.
gateway:
  # Loopback only. In a container or behind a load balancer, use 0.0.0.0.
  host: 127.0.0.1
  port: \${PORT:-8080}
  limits:
    max_body_bytes: 1048576

# Plugins always run in this order.
plugins:
  # 1. Who calls? "agentic dev" starts an identity provider at this address. In production, use your own.
  token-validator:
    issuers:
      - issuer: \${IDENTITY_URL:-http://127.0.0.1:8085}
        # Tokens for other services are refused.
        audience: [agentic]
        algorithms: [RS256]

  # 2. For which tenant? The token says it; only these tenants are allowed.
  tenant-injector:
    allowed: [acme, globex]

  # 3. license-check: "license: NAME" on a route needs a feature. List here the features of each tenant.
  # license-check:
  #   tenants:
  #     acme: { features: [NAME] }

  # 4. Removes sensitive text from requests, before the service or a model sees it.
  prompt-sanitize:
    rules:
      - { name: email, builtin: email }
      - { name: api_key, builtin: api_key }

  # 5. One record per request, as a JSON line on stdout.
  otel-audit:
    exporter: stdout

# Each operation has its own resource; there is no generic invoke endpoint. "roles: [NAME]" requires a role of the caller.
# "conformance: enforce" turns an answer that breaks the profile into a 500.
routes:
`

function routeText({ id, method, path, summary, streams }: PlannedOperation): string {
  const remark = summary === undefined ? '' : `  # ${summary.replaceAll(/[\s\p{C}]+/gu, ' ')}\n`
  return `${remark}  - id: ${JSON.stringify(id)}
    method: ${method}
    path: ${JSON.stringify(path)}
    target: http://127.0.0.1:\${SERVICE_PORT:-8081}
    executionTimeoutSeconds: 30
    conformance: enforce
${streams ? '    mode: sse\n' : ''}`
}
