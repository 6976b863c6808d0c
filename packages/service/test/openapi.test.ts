import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { created, createService, defineOperation, success } from '../src/index.ts'
import { ask } from './harness/ask.ts'

const store = sharedStore()

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree).optional()
  },
})

const goal = z.enum(['ctr', 'reach']).meta({ id: 'Goal' })

const create = defineOperation({
  id: 'create-optimization',
  method: 'POST',
  path: '/campaigns/{campaignId}/optimizations',
  summary: 'Optimizes a campaign.',
  description: 'Suggests changes.',
  input: z.object({
    campaignId: z.string().describe('Which campaign?'),
    goal,
    fallback: goal.optional(),
    region: z.string().optional(),
    'X-Shard': z.int().optional(),
    filter: z.object({ colour: z.string() }).optional(),
  }),
  locations: { region: 'query', 'X-Shard': 'header', filter: 'query' },
  output: { created: z.object({ id: z.string(), goal: z.string(), tree }) },
  idempotent: true,
  async: true,
  approval: { role: 'boss', when: () => false },
  run: () => created({ id: '1', goal: 'ctr', tree: { name: 'a', children: [{ name: 'b' }] } }),
})

const list = defineOperation({
  id: 'list:all',
  method: 'GET',
  path: '/campaigns',
  input: toStandardJsonSchema(v.object({ limit: v.optional(v.pipe(v.number(), v.integer()), 10) })),
  output: { success: { type: 'array', items: { type: 'string' } } },
  outcomes: ['success'],
  run: () => success(['a']),
})

const grow = defineOperation({
  id: 'grow',
  method: 'PUT',
  path: '/campaigns/{campaignId}/tree',
  input: tree,
  run: () => success({}),
})

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema?: object
  readonly content?: object
}

interface DescribedOperation {
  readonly operationId: string
  readonly 'x-agentic'?: object
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { schema: object }> }
  readonly responses: Readonly<Record<string, Record<string, unknown>>>
}

interface Document {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

async function fetchDocument(): Promise<Document> {
  const { url } = await startService({
    operations: [create, list, grow],
    store,
    title: 'Campaigns',
    version: '1.2.3',
  })
  const answer = await ask(`${url}/openapi.json`, { headers: { 'x-tenant-id': undefined } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('x-agentic-profile')).toBe('v0.3')
  return JSON.parse(answer.text)
}

async function fetchOperation(): Promise<DescribedOperation> {
  const { paths } = await fetchDocument()
  const operation = paths[create.path]?.['post']
  if (operation === undefined) throw new Error('the operation is not in the document')
  return operation
}

it('is served to everybody, and is what openapi() gives', async () => {
  const document = await fetchDocument()
  const service = createService({
    operations: [create, list, grow],
    store,
    title: 'Campaigns',
    version: '1.2.3',
  })
  expect(JSON.parse(JSON.stringify(service.openapi()))).toEqual(document)
  expect(document.openapi).toBe('3.1.1')
  expect(document.info).toEqual({ title: 'Campaigns', version: '1.2.3' })
  expect(document).not.toHaveProperty('trace')
  expect(Object.keys(document)).toEqual([
    'openapi',
    'info',
    'x-agentic-profile',
    'servers',
    'security',
    'paths',
    'components',
  ])
  await service.close()
})

it('lists the operations of the user, and those of the service that they need', async () => {
  const { paths } = await fetchDocument()
  expect(
    Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`)),
  ).toEqual([
    'post /campaigns/{campaignId}/optimizations',
    'get /campaigns',
    'put /campaigns/{campaignId}/tree',
    'get /operations/{operationId}/status',
    'post /operations/{operationId}/cancel',
    'get /approvals',
    'get /approvals/{approvalId}',
    'post /approvals/{approvalId}/approve',
    'post /approvals/{approvalId}/reject',
    'post /approvals/{approvalId}/withdraw',
  ])
})

it('carries async, idempotent and the role of approval in x-agentic, where there are any', async () => {
  const { paths } = await fetchDocument()
  expect(paths[create.path]?.['post']?.['x-agentic']).toEqual({
    async: true,
    idempotent: true,
    approval: { role: 'boss' },
  })
  expect(Object.hasOwn(paths[list.path]?.['get'] ?? {}, 'x-agentic')).toBe(false)
})

it('places every input, and names the headers of the profile that mean something', async () => {
  const { parameters, requestBody } = await fetchOperation()
  expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ['campaignId', 'path', true],
    ['region', 'query', false],
    ['X-Shard', 'header', false],
    ['filter', 'query', false],
    ['X-Tenant-ID', 'header', false],
    ['X-Correlation-ID', 'header', false],
    ['X-Request-ID', 'header', false],
    ['Idempotency-Key', 'header', false],
    ['X-Approval-Token', 'header', false],
    ['Prefer', 'header', false],
  ])
  expect(parameters.find(({ name }) => name === 'filter')?.content).toHaveProperty([
    'application/json',
    'schema',
  ])
  expect(requestBody).toEqual({
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            goal: { $ref: '#/components/schemas/create-optimization.Goal' },
            fallback: { $ref: '#/components/schemas/create-optimization.Goal' },
          },
          required: ['goal'],
        },
      },
    },
  })
})

it('has the patterns of path parameters and headers that are enforced', async () => {
  const document = await fetchDocument()
  const { parameters } = await fetchOperation()
  const { url } = await startService({ operations: [create], store })
  const patternOf = (name: string) =>
    new RegExp(String(Object(parameters.find((one) => one.name === name)?.schema)['pattern']), 'u')

  const segments = [
    'a',
    'ü',
    'a.b',
    '.a',
    '..a',
    '...',
    ';',
    '.;',
    '..;a',
    'a b',
    '"',
    'a/b',
    'a\\b',
    'a\u0000',
    '\u009f',
  ]
  for (const segment of segments) {
    const path = `${url}/campaigns/${encodeURIComponent(segment)}/optimizations`
    const { status } = await ask(path, { json: { goal: 'ctr' } })
    expect([segment, status]).toEqual([segment, patternOf('campaignId').test(segment) ? 201 : 422])
  }
  for (const removed of ['.', '..', '']) expect(patternOf('campaignId').test(removed)).toBe(false)

  const values = [
    '',
    'a',
    'a b',
    'a'.repeat(64),
    'a'.repeat(65),
    'a'.repeat(256),
    'a'.repeat(257),
    'a\tb',
    'é',
  ]
  for (const name of ['X-Tenant-ID', 'X-Correlation-ID', 'X-Request-ID', 'Idempotency-Key']) {
    for (const value of values.filter((each) => name !== 'X-Tenant-ID' || each !== '')) {
      const answer = await ask(`${url}/campaigns/c/optimizations`, {
        json: { goal: 'ctr' },
        headers: { [name.toLowerCase()]: value },
      })
      expect([name, value, answer.status === 201]).toEqual([name, value, patternOf(name).test(value)])
    }
  }
  expect(JSON.stringify(document)).not.toContain('\\\\p{')
})

it('adds its pattern of path parameters to that of the operation', async () => {
  const show = defineOperation({
    id: 'show',
    method: 'GET',
    path: '/a/{word}/{count}',
    input: z.object({ word: z.string().regex(/^[a-z]+$/), count: z.int() }),
    run: () => success({}),
  })
  const { paths } = createService({ operations: [show] }).openapi() as unknown as Document
  const [word, count] = paths[show.path]?.['get']?.parameters ?? []
  expect(word?.schema).toMatchObject({
    allOf: [{ type: 'string', pattern: '^[a-z]+$' }, { pattern: expect.any(String) }],
  })
  expect(count?.schema).not.toHaveProperty('pattern')
})

it('links lead from 201, 202 and 412 to the resource, the status and the approval', async () => {
  const read = defineOperation({
    id: 'read-optimization',
    method: 'GET',
    path: '/campaigns/{campaign}/optimizations/{optimizationId}',
    run: () => success({}),
  })
  const service = createService({ operations: [create, read, list, grow], store })
  const { paths } = service.openapi() as unknown as Document
  const { responses } = paths[create.path]?.['post'] ?? expect.fail()
  const operation = { operationId: '$response.body#/operationId' }
  expect(responses['201']?.['links']).toEqual({
    resource: {
      operationId: 'read-optimization',
      parameters: { campaign: '$request.path.campaignId', optimizationId: '$response.body#/id' },
    },
  })
  expect(responses['202']).toMatchObject({
    description: expect.any(String),
    content: { 'application/vnd.agentic.operation+json': {} },
    links: {
      status: { operationId: 'agentic.operation-status', parameters: operation },
      cancel: { operationId: 'agentic.cancel-operation', parameters: operation },
    },
  })
  expect(responses['412']?.['links']).toEqual({
    approval: {
      operationId: 'agentic.show-approval',
      parameters: { approvalId: '$response.header.Location#regex:/approvals/([^/]+)$' },
    },
  })
  expect(paths[grow.path]?.['put']?.responses['201']).toEqual({ $ref: '#/components/responses/created' })
  await service.close()
})

describe('the responses of an operation', () => {
  it.each([
    [
      '/campaigns/{campaignId}/optimizations',
      'post',
      ['201', '202', '400', '403', '409', '412', '422', '424', '500', 'default'],
    ],
    ['/campaigns', 'get', ['200', '403', '422', '500', 'default']],
    [
      '/campaigns/{campaignId}/tree',
      'put',
      ['200', '201', '400', '403', '409', '412', '422', '424', '500', 'default'],
    ],
    ['/operations/{operationId}/status', 'get', ['200', '403', '422', '500', 'default']],
  ])('%s %s', async (path, method, statuses) => {
    const { paths } = await fetchDocument()
    expect(Object.keys(paths[path]?.[method]?.responses ?? {})).toEqual(statuses)
  })

  it('refer to those of the profile', async () => {
    const { responses } = await fetchOperation()
    expect(responses['403']).toEqual({ $ref: '#/components/responses/forbidden' })
    expect(responses['default']).toEqual({ $ref: '#/components/responses/error' })
  })

  it('have the body that was stated, with the trace that is added to it', async () => {
    const { url } = await startService({ operations: [create], store })
    const document = JSON.parse((await ask(`${url}/openapi.json`)).text)
    const answer = await ask(`${url}/campaigns/c/optimizations`, { json: { goal: 'ctr' } })
    const validate = compile(
      document,
      '#/paths/~1campaigns~1{campaignId}~1optimizations/post/responses/201/content/application~1json/schema',
    )
    expect(validate(JSON.parse(answer.text))).toBe(true)
    expect(validate({ ...JSON.parse(answer.text), id: 7 })).toBe(false)
  })
})

it('has no reference that leads nowhere, and no schema that is none', async () => {
  const document = await fetchDocument()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference ?? '',
  )
  expect(references.length).toBeGreaterThan(30)
  for (const reference of references)
    expect([reference, resolve(document, reference)]).not.toContain(undefined)
  for (const name of Object.keys(document.components['schemas'] ?? {}))
    expect(() => compile(document, `#/components/schemas/${name}`)).not.toThrow()
})

it('keeps to OpenAPI 3.1 where readers rely on it', async () => {
  const { paths, components } = await fetchDocument()
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, ...operation })),
  )
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const name of Object.values(components).flatMap((group) => Object.keys(group)))
    expect(name).toMatch(/^[a-zA-Z0-9._-]+$/)
  for (const { path, parameters, responses } of operations) {
    const inPath = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)
    expect(inPath.toSorted()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted())
    const places = parameters.map(({ name, in: place }) => `${place} ${name.toLowerCase()}`)
    expect(new Set(places).size).toBe(places.length)
    for (const one of parameters)
      expect((one.schema === undefined) !== (one.content === undefined)).toBe(true)
    for (const response of Object.values(responses))
      expect(typeof (response['$ref'] ?? response['description'])).toBe('string')
  }
})

it('names the path that it is mounted at', async () => {
  const service = createService({ operations: [list], publicPath: '/agent', description: 'Lists.' })
  expect(service.openapi()).toMatchObject({
    info: { title: 'Agentic service', version: '0.0.0', description: 'Lists.' },
    servers: [{ url: '/agent' }],
  })
  await service.close()
})

function compile(document: object, pointer: string) {
  const ajv = new Ajv2020({ strict: false })
  return ajv.addSchema(document, 'doc:/').compile({ $ref: `doc:/${encodeURI(pointer)}` })
}

function resolve(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
}
