import { headers } from '@agentic-rest/profile'

/** The document of a small shop, for tests. */
export const shop = {
  openapi: '3.1.1',
  servers: [{ url: '/shop' }],
  paths: {
    '/orders/{id}/lines': {
      parameters: [
        { $ref: '#/components/parameters/order' },
        { name: 'limit', in: 'query', schema: { type: 'string' } },
      ],
      post: {
        summary: 'Adds a line.',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, default: 10 } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Region', in: 'header', required: true, schema: { enum: ['eu', 'us'] } },
          { name: headers.tenantId, in: 'header', schema: { type: 'string' } },
          { name: 'Prefer', in: 'header', schema: { type: 'string' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
        requestBody: {
          content: { 'application/json; charset=utf-8': { schema: { $ref: '#/components/schemas/Line' } } },
        },
      },
    },
  },
  components: {
    parameters: {
      order: { name: 'id', in: 'path', required: true, description: 'Which order?', example: 'o-1' },
    },
    schemas: {
      Line: {
        allOf: [
          { $ref: '#/components/schemas/Priced' },
          {
            properties: {
              sku: { type: 'string', pattern: '^[a-z]+$', maxLength: 8, examples: ['apple'] },
              size: { anyOf: [{ const: 1 }, { enum: [2, 3] }, { type: 'null' }] },
              gift: { type: ['boolean', 'null'], description: 'Is it a gift?' },
              parts: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Part' } },
              note: {
                anyOf: [
                  { type: 'string', maxLength: 5000 },
                  { type: 'array', items: { type: 'string' } },
                ],
              },
              id: { type: 'string', readOnly: true },
            },
            required: ['sku'],
          },
        ],
      },
      Priced: { properties: { price: { type: 'number', exclusiveMinimum: 0 } }, required: ['price'] },
      Part: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, parts: { $ref: '#/components/schemas/Part' } },
        required: ['name'],
        additionalProperties: false,
      },
      Circle: { allOf: [{ $ref: '#/components/schemas/Circle' }], type: 'string' },
    },
  },
} as const
