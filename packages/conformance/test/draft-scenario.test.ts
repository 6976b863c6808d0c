import { expect, test } from 'vitest'
import { DraftError, draftScenario, parseScenario } from '../src/index.ts'

const clarification = 'application/vnd.agentic.clarification+json'

function understood(document: unknown) {
  const text = draftScenario(document)
  const result = parseScenario(text, { file: 'conformance.yaml', env: { TENANT: 'globex' } })
  return { text, scenario: result.ok ? result.scenario : expect.fail(JSON.stringify(result.faults)) }
}

test('each outcome that a document shows how to get has a request, and the others are comments', () => {
  const { text, scenario } = understood({
    openapi: '3.1.0',
    paths: {
      '/orders/{orderId}': {
        parameters: [{ name: 'orderId', in: 'path', schema: { $ref: '#/components/schemas/id' } }],
        get: {
          parameters: [{ name: 'part', in: 'query', required: true, schema: { enum: ['all'] } }],
          responses: { 200: { content: { 'application/json': {} } }, 403: {} },
        },
      },
      '/orders': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['goal', 'count', 'when', 'tags', 'sure', 'more'],
                  properties: {
                    goal: { type: 'string', minLength: 6 },
                    count: { type: 'integer', minimum: 3 },
                    when: { type: 'string', examples: ['2026-01-01'] },
                    tags: { type: 'array', items: { const: 'a' } },
                    sure: { type: 'boolean' },
                    more: { anyOf: [{ type: 'object', required: ['x'], properties: { x: { default: 1 } } }] },
                    unneeded: { type: 'string' },
                  },
                },
              },
            },
          },
          responses: {
            201: { content: { 'application/json': {} } },
            202: {},
            400: { content: { [clarification]: {} } },
            422: {},
          },
        },
      },
      '/texts': { post: { responses: { 200: { content: { 'text/event-stream': {} } } } } },
    },
    components: { schemas: { id: { type: 'string', example: 'o 1' } } },
  })
  const body = { goal: 'texttt', count: 3, when: '2026-01-01', tags: ['a'], sure: true, more: { x: 1 } }
  const order = { method: 'POST', path: '/orders' }
  expect(scenario).toEqual({
    target: 'gateway',
    token: 'caller',
    tenant: 'globex',
    tokens: { caller: { env: 'TOKEN' } },
    outcomes: {
      success: { request: { method: 'GET', path: '/orders/o%201?part=all' } },
      created: { request: { ...order, body } },
      accepted: { request: { ...order, body, headers: { Prefer: 'respond-async' } } },
      clarification_required: { request: { ...order, body: {} } },
      validation_failed: { request: { ...order, body: 42 } },
    },
    stream: { request: { method: 'POST', path: '/texts' } },
  })
  expect(text).toContain(
    '  # forbidden: this operation can answer with 403; change the request so that it does.\n',
  )
  expect(text).toContain('  # error: no operation of the document answers with 500.\n')
})

test('what a document says cannot become keys of the file', () => {
  const path = '/a/{x\ntarget: service}/{{command}}'
  const operation = {
    requestBody: {
      content: { 'application/json': { example: 'tokens:\n  caller: { command: "rm -rf" }\n' } },
    },
    responses: { 201: {}, 409: {} },
  }
  const { scenario } = understood({ openapi: '3.0.3', paths: { [path]: { post: operation } } })
  expect(scenario).toMatchObject({ target: 'gateway', tokens: { caller: { env: 'TOKEN' } } })
})

test('schemas that contain themselves end somewhere', () => {
  const node = {
    type: 'object',
    required: ['next'],
    properties: { next: { $ref: '#/components/schemas/node' } },
  }
  const schema = { $ref: '#/components/schemas/node' }
  const post = { requestBody: { content: { 'application/json': { schema } } }, responses: { 201: {} } }
  const { scenario } = understood({
    openapi: '3.1.0',
    paths: { '/n': { post } },
    components: { schemas: { node } },
  })
  expect(JSON.stringify(scenario.outcomes?.created?.request.body)).toMatch(/^(\{"next":)+null\}+$/)
})

test.each([null, [], {}, { openapi: '3.1.0' }, { type: 'conflict' }])('%j is refused', (document) => {
  expect(() => draftScenario(document)).toThrow(DraftError)
})
