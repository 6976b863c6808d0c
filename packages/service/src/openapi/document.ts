import { headerKeys, openApiComponents, PROFILE_VERSION } from '@agentic-rest/profile'
import type { JsonSchema } from '../input/json-schema.ts'
import type { Operation } from '../operation.ts'
import { describeOperation } from './describe-operation.ts'

/** Where a service serves its document. */
export const DOCUMENT_PATH = '/openapi.json'

/** What a document says of the service as a whole. */
export interface DocumentInfo {
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  readonly publicPath: string
}

/** The OpenAPI 3.1 document of a service. */
export function openApiDocument(operations: readonly Operation[], info: DocumentInfo): JsonSchema {
  const { title, version, description, publicPath } = info
  const described = operations.map((operation) => ({ ...operation, ...describeOperation(operation) }))
  const byPath = Map.groupBy(described, ({ path }) => path)
  return {
    openapi: '3.1.1',
    info: { title, version, ...(description !== undefined && { description }) },
    // The header's name is a member that the specification leaves to extensions.
    [headerKeys.profile]: PROFILE_VERSION,
    servers: [{ url: publicPath === '' ? '/' : publicPath }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      [...byPath].map(([path, list]) => [
        path,
        Object.fromEntries(list.map(({ method, operation }) => [method.toLowerCase(), operation])),
      ]),
    ),
    components: componentsOf(Object.assign({}, ...described.map(({ schemas }) => schemas))),
  }
}

function componentsOf(own: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const components = openApiComponents()
  const schemas = components['schemas'] as Readonly<
    Record<string, { properties: Record<string, JsonSchema> }>
  >
  return {
    ...components,
    // The trace stands inside each body of the profile; bodies of the service refer to it.
    schemas: { ...schemas, trace: schemas['error']?.properties['trace'], ...own },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  }
}
