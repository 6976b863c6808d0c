import { membersOf } from '@agentic-rest/profile'
import { createService, defineOperation, success } from '@agentic-rest/service'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { asOpenApi } from './openapi.ts'
import { planOperations } from './plan-operations.ts'

function plan(paths: object) {
  return planOperations({ document: { paths }, find: () => undefined, follow: membersOf })
}

const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })

test('x-agentic carries async, idempotent and the role of approval', () => {
  const { operations } = plan({
    '/a': { post: { 'x-agentic': { async: true, idempotent: true, approval: { role: 'manager' } } } },
    '/b': { post: { 'x-agentic': { async: 'yes', approval: true } } },
    '/c': { post: {} },
  })
  expect(
    operations.map(({ async: canWait, idempotent, approvalRole }) => [canWait, idempotent, approvalRole]),
  ).toEqual([
    [true, true, 'manager'],
    [false, false, undefined],
    [false, false, undefined],
  ])
})

test('headers of the gateway, the SDK and HTTP are no inputs', () => {
  const owned = [
    ...['X-Tenant-ID', 'x-correlation-id', 'X-Request-ID', 'Idempotency-Key', 'X-Approval-Token', 'Prefer'],
    ...['X-Actor-Subject', 'x-actor-anything', 'Authorization', 'Accept', 'Content-Type', 'traceparent'],
  ]
  const { operations } = plan({ '/a': { get: { parameters: [...owned, 'X-Region'].map(header) } } })
  expect(operations[0]?.inputs.map(({ name }) => name)).toEqual(['X-Region'])
})

test('operations of the SDK are left out', () => {
  const { operations, notes } = plan({
    '/a': { post: { 'x-agentic': { async: true } } },
    '/operations/{operationId}/status': { get: { operationId: 'agentic.operation-status' } },
    '/operations/{operationId}/cancel': { post: { operationId: 'agentic.cancel-operation' } },
  })
  expect([operations.map(({ path }) => path), notes]).toEqual([['/a'], []])
})

test('a path that the SDK needs for itself is left out with a note, any other stays', () => {
  const { operations, notes } = plan({
    '/a': { post: { 'x-agentic': { async: true } } },
    '/operations/{id}/status': { get: {} },
    '/approvals/{id}': { get: {} },
  })
  expect(operations.map(({ path }) => path)).toEqual(['/a', '/approvals/{id}'])
  expect(notes).toEqual(['GET "/operations/{id}/status" is left out: the SDK answers it itself'])
})

test('the ids of routes for the SDK stay free', () => {
  const { operations } = plan({ '/a': { post: { operationId: 'approve' } } })
  expect(operations[0]?.id).toBe('approve-2')
})

test('a path parameter keeps its own patterns, and the rule of the SDK is left to the SDK', () => {
  const { pattern } = sdkParameter(z.string())
  expect(pattern).toMatch(/^\^/)
  const own = [z.string(), z.string().regex(/^a/), z.string().regex(/^a/).regex(/b$/).max(9)]
  expect(own.map((schema) => plannedParameter(sdkParameter(schema)))).toEqual([
    { type: 'string' },
    { type: 'string', pattern: '^a' },
    { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }], maxLength: 9 },
  ])
})

test('a path parameter may refer to its schema', () => {
  const document = {
    openapi: '3.1.0',
    paths: { '/a/{id}': { get: { parameters: [pathParameter('id', { $ref: '#/components/schemas/Id' })] } } },
    components: {
      schemas: { Id: { allOf: [{ $ref: '#/components/schemas/Text' }, { pattern: '^a' }] }, Text },
    },
  }
  const api = asOpenApi(document)
  if (api === undefined) expect.fail('this is a document')
  expect(planOperations(api).operations[0]?.inputs[0]?.schema).toEqual({ ...Text, pattern: '^a' })
})

const Text = { type: 'string', maxLength: 9 }
const pathParameter = (name: string, schema: object) => ({ name, in: 'path', required: true, schema })

/** The schema of a path parameter in a document of the SDK. */
function sdkParameter(id: z.ZodString): Record<string, unknown> {
  const read = defineOperation({
    id: 'read',
    method: 'GET',
    path: '/a/{id}',
    input: z.object({ id }),
    outcomes: ['success'],
    run: () => success({}),
  })
  const service = createService({ operations: [read], store: { memory: true } })
  onTestFinished(() => service.close())
  const { paths } = JSON.parse(JSON.stringify(service.openapi()))
  return paths['/a/{id}'].get.parameters.find(({ name }: { name: string }) => name === 'id').schema
}

function plannedParameter(schema: object): unknown {
  const { operations } = plan({ '/a/{id}': { get: { parameters: [pathParameter('id', schema)] } } })
  return operations[0]?.inputs[0]?.schema
}

test('a parameter name that a route cannot have becomes another one, with a note', () => {
  const { operations, notes } = plan({
    '/a/{parcel-id}': { get: { parameters: [pathParameter('parcel-id', Text)] } },
  })
  expect(operations).toMatchObject([{ path: '/a/{parcelId}', inputs: [{ name: 'parcelId', schema: Text }] }])
  expect(notes).toEqual([
    '"/a/{parcel-id}" becomes "/a/{parcelId}": the name of a parameter has letters, digits and _, and starts with no digit',
  ])
})

test.each([
  ['/b/{1}', 'the name of a parameter has letters, digits and _, and starts with no digit'],
  ['/b/{x-y}/{xY}', 'two parameters have one name'],
  ['/b/{name}.json', 'each parameter must be a whole segment such as {name}'],
  ['/b/c%20d', 'it has a character that a path of a route cannot have'],
])('%s is left out: %s', (path, reason) => {
  expect(plan({ '/a': { get: {} }, [path]: { get: {} } }).notes).toEqual([
    `${JSON.stringify(path)} is left out: ${reason}`,
  ])
})

test('each part of an operation that is left out has a note', () => {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const { notes } = plan({
    '/a': {
      get: {
        parameters: [
          { name: 'c', in: 'cookie' },
          { name: 'a b', in: 'query' },
        ],
        requestBody: json({}),
      },
      put: { requestBody: { content: { 'multipart/form-data': {} } } },
      post: { requestBody: json({ type: 'array' }) },
      patch: { requestBody: json({ oneOf: [], properties: { 'x y': {} } }) },
      delete: { 'x-agentic': { async: 'yes', idempotent: 1, approval: true } },
    },
  })
  const rule = 'a name has at most 64 letters, digits and . _ -, and starts with a letter or _'
  expect(notes).toEqual([
    'GET /a: the body is left out: GET has none',
    'GET /a: the cookie parameter c is left out',
    `GET /a: the parameter "a b" is left out: ${rule}`,
    'POST /a: the body is left out: it is no object',
    'PUT /a: the body of type multipart/form-data is left out',
    'PATCH /a: oneOf of the body is left out',
    `PATCH /a: the member "x y" is left out: ${rule}`,
    'DELETE /a: async of x-agentic is left out: it is no boolean',
    'DELETE /a: idempotent of x-agentic is left out: it is no boolean',
    'DELETE /a: approval of x-agentic is left out: it names no role',
  ])
})
