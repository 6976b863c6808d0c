import { stringify } from 'yaml'
import type { OpenApi } from './openapi.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { asksFor, sampleRequest } from './sample-request.ts'

/** A conformance.yaml for the generated service. */
export function scenarioFile(operations: readonly PlannedOperation[], api: Pick<OpenApi, 'follow'>): string {
  return `${head}${stringify({ outcomes: outcomesOf(operations, api) })}`
}

const head = `# The requests that "agentic conformance" sends to observe each outcome. Outcomes without a request are reported as not
# observed, never as passed. Add a request for each new outcome of your service.
target: gateway
tokens:
  # A token for "agentic dev". Elsewhere, { env: TOKEN } reads it from the environment.
  caller: { command: "npx agentic token --port-base \${PORT:-8080}" }
token: caller
tenant: acme
# A tenant that the token does not allow.
foreignTenant: globex
metrics: /metrics
packages: [package.json]
`

function outcomesOf(operations: readonly PlannedOperation[], api: Pick<OpenApi, 'follow'>): object {
  const rows: [string, object][] = []
  const add = (
    name: string,
    operation: PlannedOperation | undefined,
    probe: (operation: PlannedOperation) => object,
  ) => {
    if (operation !== undefined) rows.push([name, probe(operation)])
  }
  const complete = (operation: PlannedOperation) => ({ request: sampleRequest(operation, api, 'complete') })
  add(
    'success',
    operations.find(({ outcome, streams }) => outcome === 'success' && !streams),
    complete,
  )
  add(
    'created',
    operations.find(({ outcome, streams }) => outcome === 'created' && !streams),
    complete,
  )
  add(
    'clarification_required',
    operations.find((operation) => asksFor(operation).length > 0),
    (operation) => ({
      request: sampleRequest(operation, api, 'empty'),
      asks: asksFor(operation),
    }),
  )
  // No operation accepts a number as its body.
  add(
    'validation_failed',
    operations.find(({ method }) => method !== 'GET' && method !== 'DELETE'),
    (operation) => ({
      request: { ...sampleRequest(operation, api, 'complete'), body: 42 },
    }),
  )
  add('forbidden', operations[0], (operation) => ({
    request: { ...sampleRequest(operation, api, 'complete'), tenant: 'globex' },
  }))
  return Object.fromEntries(rows)
}
