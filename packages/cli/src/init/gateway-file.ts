import type { PlannedOperation } from './plan-operations.ts'

/** A gateway.yaml for these operations, with the reason for each part beside it. */
export function gatewayFile(operations: readonly PlannedOperation[]): string {
  return `${head}${operations.map(routeText).join('')}`
}

const head = `# yaml-language-server: $schema=./gateway.schema.json
#
# The gateway in front of this project's service. "agentic check gateway.yaml" finds mistakes, an editor that knows the
# schema above completes keys. \${NAME:-default} is filled in from the environment.
gateway:
  # Loopback only. Where the gateway runs in a container or behind a load balancer this is 0.0.0.0.
  host: 127.0.0.1
  port: \${PORT:-8080}
  limits:
    max_body_bytes: 1048576

# Plugins run in this order, whatever the order in the file.
plugins:
  # 1. Who calls? "agentic dev" starts an identity provider at this address; in production it is yours.
  token-validator:
    issuers:
      - issuer: \${IDENTITY_URL:-http://127.0.0.1:8085}
        # Tokens that were made for other services are refused.
        audience: [agentic]
        algorithms: [RS256]

  # 2. For which tenant? The token says it; only these are let in.
  tenant-injector:
    allowed: [acme, globex]

  # 3. license-check: a route may name a feature with "license: NAME"; then say here which tenant has it.
  # license-check:
  #   tenants:
  #     acme: { features: [NAME] }

  # 4. What must not reach the service, or a model behind it.
  prompt-sanitize:
    rules:
      - { name: email, builtin: email }
      - { name: api_key, builtin: api_key }

  # 5. One record per request, as a JSON line on stdout.
  otel-audit:
    exporter: stdout

# Each operation has a resource of its own; there is no generic invoke endpoint. "roles: [NAME]" wants a role of the caller.
# "conformance: enforce" turns an answer that breaks the profile into a 500 before a client has to guess what it means.
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
