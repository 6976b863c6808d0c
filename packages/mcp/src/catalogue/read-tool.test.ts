import type { JsonObject } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { readTool } from './read-tool.ts'
import type { CatalogueTool, ToolRoute, ToolSettings } from './tool.ts'

const path = '/campaigns/{campaignId}/optimizations'
const routeWith = (mcp: ToolSettings = {}, rest: Partial<ToolRoute> = {}): ToolRoute => ({
  id: 'create-optimization',
  method: 'POST',
  path,
  mcp,
  ...rest,
})

const goal = {
  type: 'string',
  enum: ['ctr', 'conversions'],
  description: 'What is the campaign to be optimized for?',
}
/** The answer of an operation that asks for what is missing. */
const asking = {
  responses: { 400: { content: { 'application/vnd.agentic.clarification+json': { schema: {} } } } },
}
const documentWith = (
  operation: JsonObject,
  more: JsonObject = {},
  template = '/campaigns/{id}/optimizations',
) => ({
  openapi: '3.1.1',
  paths: { [template]: { post: { ...asking, ...operation } } },
  ...more,
})
const bodyOf = (schema: unknown): JsonObject => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
})
const bodySchema = { type: 'object', properties: { goal }, required: ['goal'] }

function toolOf(route: ToolRoute, document?: unknown): CatalogueTool {
  const reading = readTool(route, document)
  if (!reading.ok) throw new Error(reading.fault.message)
  return reading.tool
}

function faultOf(document: unknown, route = routeWith()) {
  const reading = readTool(route, document)
  return reading.ok ? undefined : reading.fault
}

describe('the tool of an operation', () => {
  test('has the inputs of path and body, and requires those of the path', () => {
    const route = routeWith({ title: 'Optimize a campaign' })
    const document = documentWith(
      { summary: 'Suggests how a campaign can do better.', ...bodyOf(bodySchema) },
      {},
      '/campaigns/{campaignId}/optimizations',
    )
    expect(toolOf(route, document).definition).toEqual({
      name: 'create-optimization',
      title: 'Optimize a campaign',
      description: 'Suggests how a campaign can do better.',
      inputSchema: {
        type: 'object',
        required: ['campaignId'],
        additionalProperties: false,
        properties: {
          campaignId: { type: 'string' },
          goal: {
            type: 'string',
            enum: ['ctr', 'conversions'],
            description: 'What is the campaign to be optimized for? Asked for when missing.',
          },
        },
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    })
  })

  test('is found when parameter names differ, and below the path of a server', () => {
    expect(toolOf(routeWith(), documentWith({})).pathParameters).toEqual(['id'])
    const document = documentWith({}, { servers: [{ url: '/v1' }] })
    expect(toolOf(routeWith({}, { path: `/v1${path}` }), document).pathParameters).toEqual(['id'])
  })

  test('gives a suffix to the second input of one name, and knows the place of each', () => {
    const tool = toolOf(
      routeWith(),
      documentWith({
        parameters: [
          { name: 'id', in: 'path', schema: { type: 'string' } },
          { name: 'id', in: 'query', schema: { type: 'integer' } },
          { name: 'X-Region', in: 'header', required: true, schema: { type: 'string' } },
        ],
        ...bodyOf({ type: 'object', properties: { id: { type: 'boolean' } } }),
      }),
    )
    expect([...tool.places]).toEqual([
      ['id', { location: 'path', name: 'id' }],
      ['id_query', { location: 'query', name: 'id' }],
      ['X-Region', { location: 'header', name: 'X-Region' }],
      ['id_body', { location: 'body', name: 'id' }],
    ])
    expect(tool.definition.inputSchema['required']).toEqual(['id'])
  })

  test.each<[string, JsonObject]>([
    ['no answers', { responses: undefined }],
    ['no clarification', { responses: { 400: { content: { 'application/problem+json': {} } } } }],
    ['an answer in another document', { responses: { 400: { $ref: 'common.yaml#/Asks' } } }],
    ['an answer that is missing', { responses: { 400: { $ref: '#/components/responses/Gone' } } }],
  ])('keeps what the document requires of an operation with %s', (_name, answers) => {
    const parameters = [{ name: 'X-Region', in: 'header', required: true, schema: { type: 'string' } }]
    const operation = { parameters, ...bodyOf(bodySchema), ...answers }
    const { inputSchema } = toolOf(routeWith(), documentWith(operation)).definition
    expect(inputSchema['required']).toEqual(['id', 'X-Region', 'goal'])
    expect(inputSchema['properties']).toMatchObject({ goal })
  })

  test('finds a clarification behind a reference', () => {
    const operation = { ...bodyOf(bodySchema), responses: { 400: { $ref: '#/components/responses/Ask' } } }
    const components = { responses: { Ask: asking.responses[400] } }
    const { inputSchema } = toolOf(routeWith(), documentWith(operation, { components })).definition
    expect(inputSchema['required']).toEqual(['id'])
  })

  test('never takes headers of the gateway, and notes the meaning of two of them', () => {
    const names = [
      'X-Tenant-ID',
      'Authorization',
      'Idempotency-Key',
      'Prefer',
      'X-Forwarded-For',
      'Host',
      'Mcp-Name',
    ]
    const parameters = names.map((name) => ({ name, in: 'header', schema: { type: 'string' } }))
    const tool = toolOf(routeWith(), documentWith({ parameters }))
    expect([...tool.places.keys()]).toEqual(['id'])
    expect([tool.canAnswerLater, tool.isIdempotent]).toEqual([true, true])
  })

  test('takes a body that is no object as one argument', () => {
    const tool = toolOf(routeWith(), documentWith(bodyOf({ type: 'array', description: 'Rows.' })))
    expect(tool.definition.inputSchema['properties']).toEqual({
      id: { type: 'string' },
      body: { type: 'array', items: {}, description: 'Rows. Asked for when missing.' },
    })
    expect(tool.places.get('body')).toEqual({ location: 'body', name: '' })
  })

  test('carries the targets of local references, recursive ones too', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    const body = { $ref: '#/components/schemas/Body' }
    const components = {
      schemas: {
        Node: node,
        Body: { type: 'object', properties: { node: { $ref: '#/components/schemas/Node' } } },
      },
    }
    const { inputSchema } = toolOf(routeWith(), documentWith(bodyOf(body), { components })).definition
    expect(inputSchema).toMatchObject({
      properties: { node: { $ref: '#/$defs/Node' } },
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
    })
  })

  test('allows further arguments only where the body does', () => {
    const open = { ...bodySchema, additionalProperties: true }
    expect(toolOf(routeWith(), documentWith(bodyOf(open))).additional).toBe('body')
    expect(toolOf(routeWith(), documentWith(bodyOf(bodySchema))).additional).toBeUndefined()
  })

  test('does not oblige clients to repeat arguments in headers', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'Region' } } }
    const { inputSchema } = toolOf(routeWith(), documentWith(bodyOf(schema))).definition
    expect(inputSchema['properties']).toMatchObject({ a: { type: 'string' } })
    expect(JSON.stringify(inputSchema)).not.toContain('x-mcp-header')
  })

  test('has a property named $ref as a property', () => {
    const schema = { type: 'object', properties: { $ref: { type: 'string' } } }
    expect(toolOf(routeWith(), documentWith(bodyOf(schema))).places.get('$ref')).toEqual({
      location: 'body',
      name: '$ref',
    })
  })
})

describe('a tool without a document', () => {
  test('has the parameters of the path and takes everything else', () => {
    const tool = toolOf(routeWith({ input: 'none', idempotencyArgument: true }))
    expect(tool.definition.inputSchema).toEqual({
      type: 'object',
      required: ['campaignId'],
      additionalProperties: true,
      properties: {
        campaignId: { type: 'string' },
        idempotencyKey: { type: 'string', description: 'Calls with the same key have one effect.' },
      },
    })
    expect(tool.additional).toBe('body')
  })

  test('sends the properties of its schema in the query of a GET', () => {
    const input = {
      type: 'object',
      properties: { page: { type: 'integer' }, campaignId: { type: 'string' } },
    }
    const tool = toolOf(routeWith({ input }, { method: 'GET' }))
    expect(Object.fromEntries(tool.places)).toEqual({
      campaignId: { location: 'path', name: 'campaignId' },
      page: { location: 'query', name: 'page' },
    })
    expect(tool.definition.annotations).toEqual({ readOnlyHint: true, openWorldHint: true })
  })
})

describe('a route that cannot be a tool', () => {
  test('has a name of 49 characters, or with a dot', () => {
    expect(faultOf(undefined, routeWith({ name: 'n'.repeat(49), input: 'none' }))).toEqual({
      code: 'bad_name',
      message: `a tool name has 1 to 48 letters, digits, "_" and "-", not "${'n'.repeat(49)}"`,
    })
    expect(faultOf(undefined, routeWith({ name: 'a.b', input: 'none' }))?.code).toBe('bad_name')
    expect(readTool(routeWith({ name: 'n'.repeat(48), input: 'none' })).ok).toBe(true)
    expect(toolOf(routeWith({ input: 'none' }, { id: 'a.b/c' })).definition.name).toBe('a-b-c')
  })

  test('has no document, a document that is none, or one without the operation', () => {
    expect(faultOf(undefined)?.code).toBe('bad_document')
    expect(faultOf('<html>')?.code).toBe('bad_document')
    expect(faultOf(documentWith({}, {}, '/other'))).toEqual({
      code: 'no_operation',
      message: `the document has no operation for POST ${path}`,
    })
  })

  test.each(['https://evil.example.com/schema.json', 'other.json#/a', '/etc/passwd'])(
    'has a reference to %s',
    ($ref) => {
      expect(faultOf(documentWith(bodyOf({ type: 'object', properties: { a: { $ref } } })))).toEqual({
        code: 'foreign_reference',
        message: 'a reference leads out of the document',
      })
      expect(faultOf(documentWith(bodyOf({ $ref })))?.code).toBe('foreign_reference')
    },
  )

  test('has a reference without a target, or references in a circle', () => {
    const dangling = { type: 'object', properties: { a: { $ref: '#/components/schemas/None' } } }
    expect(faultOf(documentWith(bodyOf(dangling)))?.code).toBe('missing_reference')
    const components = { schemas: { A: { $ref: '#/components/schemas/A' } } }
    expect(faultOf(documentWith(bodyOf({ $ref: '#/components/schemas/A' }), { components }))?.code).toBe(
      'too_deep',
    )
  })

  test('has 65 levels, where 64 are fine', () => {
    const levels = (count: number): unknown => (count === 0 ? true : { not: levels(count - 1) })
    // The schema of the tool and its `properties` are two levels.
    const nested = (count: number) =>
      documentWith(bodyOf({ type: 'object', properties: { deep: levels(count - 2) } }))
    expect(faultOf(nested(64))).toBeUndefined()
    expect(faultOf(nested(65))).toEqual({ code: 'too_deep', message: 'the schema has more than 64 levels' })
    expect(faultOf(nested(20_000 / 4))?.code).toBe('too_deep')
  })

  test('has a schema of 1 MB', () => {
    const values = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(1000, 'x'))
    const schema = { type: 'object', properties: { a: { enum: values } } }
    expect(faultOf(documentWith(bodyOf(schema)))).toEqual({
      code: 'too_large',
      message: 'the schema has more than 65536 bytes',
    })
  })

  // Each took minutes while every name, and every pair of a server and a path, was compared.
  test('has a document of 1 MB with thousands of references, or of servers and paths', () => {
    const names = Array.from({ length: 12_000 }, (_, index) => `k${index}`)
    const schemas = Object.fromEntries(names.map((name) => [name, { x: {} }]))
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}/x` }]),
    )
    const referring = documentWith(bodyOf({ type: 'object', properties }), { components: { schemas } })
    expect(faultOf(referring)?.code).toBe('too_large')
    const servers = names.map((name) => ({ url: `/${name}` }))
    const paths = Object.fromEntries(names.map((name) => [`/${name}`, { post: {} }]))
    expect(faultOf({ openapi: '3.1.1', servers, paths })?.code).toBe('no_operation')
  })
})
