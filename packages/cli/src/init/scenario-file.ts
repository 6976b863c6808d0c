import { stringify } from 'yaml'
import type { OpenApi } from './openapi.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { asksFor, sampleRequest } from './sample-request.ts'
import { slice } from './template.ts'

type Api = Pick<OpenApi, 'follow'>

/** The template's conformance.yaml with requests for these operations. */
export function scenarioFile(template: string, operations: readonly PlannedOperation[], api: Api): string {
  return `${slice(template, { to: 'outcomes:\n' })}${stringify({ outcomes: outcomesOf(operations, api) })}`
}

function outcomesOf(operations: readonly PlannedOperation[], api: Api): object {
  const rows: [string, object][] = []
  const add = (
    name: string,
    operation: PlannedOperation | undefined,
    probe: (operation: PlannedOperation) => object,
  ) => {
    if (operation !== undefined) rows.push([name, probe(operation)])
  }
  const complete = (operation: PlannedOperation) => ({ request: sampleRequest(operation, api, 'complete') })
  const direct = operations.filter(({ streams, approvalRole }) => !streams && approvalRole === undefined)
  add(
    'success',
    direct.find(({ outcome }) => outcome === 'success'),
    complete,
  )
  add(
    'created',
    direct.find(({ outcome }) => outcome === 'created'),
    complete,
  )
  add(
    'accepted',
    direct.find((operation) => operation.async),
    (operation) => {
      const { headers, ...request } = sampleRequest(operation, api, 'complete')
      return { request: { ...request, headers: { ...headers, ...inBackground } } }
    },
  )
  add(
    'clarification_required',
    operations.find((operation) => asksFor(operation).length > 0),
    (operation) => ({ request: sampleRequest(operation, api, 'empty'), asks: asksFor(operation) }),
  )
  // No operation accepts a number as its body.
  add(
    'validation_failed',
    operations.find(({ method }) => method !== 'GET' && method !== 'DELETE'),
    (operation) => ({ request: { ...sampleRequest(operation, api, 'complete'), body: 42 } }),
  )
  add(
    'approval_required',
    operations.find(({ approvalRole }) => approvalRole !== undefined),
    complete,
  )
  add('forbidden', operations[0], (operation) => ({
    request: { ...sampleRequest(operation, api, 'complete'), tenant: 'globex' },
    admits: { tenant: 'acme' },
  }))
  return Object.fromEntries(rows)
}

/** The header of a request for background work (RFC 7240). */
export const inBackground = { Prefer: 'respond-async' } as const
