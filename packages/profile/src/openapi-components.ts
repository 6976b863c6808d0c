import { type JsonSchema, shapeSchema } from './body-schemas.ts'
import { bodyShapes } from './body-shapes.ts'
import { headers } from './headers.ts'
import { type OutcomeType, outcomes, outcomeTypes, PROFILE_VERSION, type SchemaName } from './outcomes.ts'

const responseTexts = {
  success: 'Done; the body is the resource or result.',
  created: 'A resource was created; the body is that resource.',
  accepted: 'The work goes on in the background; poll `statusUrl`.',
  clarification_required: 'More inputs are needed; `requiredInputs` says which and where.',
  validation_failed: 'Something that was sent is wrong; `errors` says what.',
  approval_required: 'Somebody has to approve; send the request again with the approval token afterwards.',
  forbidden: 'The caller lacks permission.',
  conflict: 'The request contradicts the state of a resource.',
  failed_dependency: 'Something the operation depends on did not answer as it has to.',
  error: 'The operation failed.',
} satisfies Record<OutcomeType, string>

const headerTexts = {
  profile: `The profile version of the answer, always \`${PROFILE_VERSION}\`.`,
  correlationId: 'The correlation id of the exchange.',
  requestId: 'The id of this request.',
} as const

/** OpenAPI 3.1 components of the profile: three response headers, six schemas, ten responses. */
export function openApiComponents(): JsonSchema {
  return {
    headers: Object.fromEntries(responseHeaders().map(([name, text]) => [name, headerObject(name, text)])),
    schemas: Object.fromEntries(
      (Object.keys(bodyShapes) as SchemaName[]).map((name) => [name, shapeSchema(bodyShapes[name])]),
    ),
    responses: Object.fromEntries(outcomeTypes.map((type) => [type, responseObject(type)])),
  }
}

/** The components as a complete OpenAPI document, so that all references in the published file resolve. */
export function openApiDocument(): JsonSchema {
  return {
    openapi: '3.1.0',
    info: { title: 'Agentic REST profile', version: PROFILE_VERSION },
    paths: {},
    components: openApiComponents(),
  }
}

function responseHeaders(): [string, string][] {
  return (Object.keys(headerTexts) as (keyof typeof headerTexts)[]).map((key) => [
    headers[key],
    headerTexts[key],
  ])
}

function headerObject(name: string, description: string): JsonSchema {
  const schema = name === headers.profile ? { type: 'string', const: PROFILE_VERSION } : { type: 'string' }
  return { description, required: true, schema }
}

function responseObject(type: OutcomeType): JsonSchema {
  const { mediaType, schema } = outcomes[type]
  return {
    description: responseTexts[type],
    headers: Object.fromEntries(
      responseHeaders().map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { [mediaType]: { schema: schema === null ? {} : { $ref: `#/components/schemas/${schema}` } } },
  }
}
