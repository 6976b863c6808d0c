import { expect, test } from 'vitest'
import { createReferences } from '../offline/references.ts'
import { createSampler } from './sample-value.ts'

const document = {
  schemas: {
    node: {
      type: 'object',
      required: ['next', 'more'],
      properties: { next: { $ref: '#/schemas/node' }, more: {} },
    },
    word: { type: 'string', maxLength: 2 },
  },
}
const references = createReferences(document, () => undefined)

test.each([
  [{ example: null, enum: [null, 'a'] }, {}],
  [{ type: 'string', enum: ['a'] }, 'a'],
  [{ type: ['null', 'string'], minLength: 6 }, 'texttt'],
  [{ $ref: '#/schemas/word' }, 'te'],
  [{ type: 'integer', maximum: -3 }, -3],
  [{ type: 'number', minimum: 7 }, 7],
  [{ type: 'integer', exclusiveMinimum: 7 }, 8],
  [{ type: 'integer', minimum: 7, exclusiveMinimum: true }, 8],
  [{ type: 'number', exclusiveMaximum: 0 }, -0.5],
  [{ type: 'integer', minimum: 7, multipleOf: 5 }, 10],
  [{ type: 'array', items: { type: 'boolean' } }, [true]],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
  [{ oneOf: [{ const: 4 }, { const: 5 }] }, 4],
  [{ type: 'object', required: ['__proto__', 'a', 'unknown'], properties: { a: { default: 0 } } }, { a: 0 }],
  [{}, {}],
])('%j is met by %j', (schema, value) => {
  expect(createSampler(references).make(schema)).toEqual(value)
})

test('a schema that needs itself ends, and one that says nothing is what the caller says', () => {
  const deepest = { next: null, more: null }
  const four = { next: { next: deepest, more: 'text' }, more: 'text' }
  expect(createSampler(references, 'text').make({ $ref: '#/schemas/node' })).toEqual({
    next: { next: four, more: 'text' },
    more: 'text',
  })
})
