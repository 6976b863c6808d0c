import { stringify } from 'yaml'
import type { PlannedOperation } from './plan-operations.ts'
import type { OpenApi } from './read-openapi.ts'
import { asksFor, sampleRequest } from './sample-request.ts'

/** A conformance.yaml that observes what the written service shows. */
export function scenarioFile(operations: readonly PlannedOperation[], api: Pick<OpenApi, 'follow'>): string {
  return `${head}${stringify({ outcomes: outcomesOf(operations, api) })}`
}

const head = `# How "agentic conformance" provokes each outcome. An outcome that is not here is reported as not observed, never as
# passed: add a request for each that your service learns to give.
target: gateway
tokens:
  # A token that "agentic dev" accepts. Elsewhere: { env: TOKEN }, which takes it from the environment.
  caller: { command: "npx agentic token --port-base \${PORT:-8080}" }
token: caller
tenant: acme
# A tenant that the token is not good for.
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
  // No operation takes a bare number for its body.
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
