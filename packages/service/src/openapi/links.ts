import { type OutcomeType, templateShape } from '@agentic-rest/profile'
import { type JsonSchema, outputJsonSchemaOf } from '../input/json-schema.ts'
import type { Operation } from '../operation.ts'

/** The links of the responses of an operation, by outcome. */
export type Links = ReadonlyMap<OutcomeType, JsonSchema>

/** The ids of the built-in operations that links lead to. */
export const ownIds = {
  status: 'agentic.operation-status',
  cancel: 'agentic.cancel-operation',
  approval: 'agentic.show-approval',
} as const

/** Links from a 201 to its resource, from a 202 to its status and from a 412 to its approval. */
export function linksOf(operation: Operation, all: readonly Operation[]): Links {
  const links = new Map<OutcomeType, JsonSchema>()
  const resource = resourceLink(operation, all)
  if (resource !== undefined) links.set('created', { resource })
  if (operation.async !== false) {
    const parameters = { operationId: '$response.body#/operationId' }
    links.set('accepted', {
      status: { operationId: ownIds.status, parameters },
      cancel: { operationId: ownIds.cancel, parameters },
    })
  }
  if (operation.approval !== undefined) {
    // The body of the profile has no id. The end of this expression is an extension of Schemathesis.
    const parameters = { approvalId: '$response.header.Location#regex:/approvals/([^/]+)$' }
    links.set('approval_required', { approval: { operationId: ownIds.approval, parameters } })
  }
  return links
}

/** The operation that shows a created resource: GET with one more parameter, which is in the created body. */
function resourceLink({ path, parameters, output }: Operation, all: readonly Operation[]) {
  const reader = all.find(
    (other) => other.method === 'GET' && templateShape(other.path) === `${templateShape(path)}/{}`,
  )
  const last = reader?.parameters.at(-1)
  const member = last && [last, 'id'].find((name) => membersOf(output.created).has(name))
  if (reader === undefined || member === undefined) return undefined
  const outer = parameters.map((name, index) => [reader.parameters[index] ?? name, `$request.path.${name}`])
  const own = [last, `$response.body#/${member}`]
  return { operationId: reader.id, parameters: Object.fromEntries([...outer, own]) }
}

function membersOf(output: Operation['output']['created']): ReadonlySet<string> {
  const properties = output && outputJsonSchemaOf(output)?.['properties']
  return new Set(Object.keys(properties ?? {}))
}
