import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configJsonSchema } from '../packages/gateway/src/config/json-schema.ts'
import { configurationKeys, type KeySchema, keysTable } from './configuration-keys.ts'

const reference = { $ref: '#/$defs/reference' }

const schema: KeySchema = {
  properties: {
    port: {
      description: 'A port.',
      default: 8080,
      anyOf: [{ type: 'integer', minimum: 0, maximum: 9 }, reference],
    },
    price: { description: 'A price.', type: 'number', minimum: 0, maximum: 1.5 },
    mode: {
      description: 'on | off',
      default: 'on',
      anyOf: [{ type: 'string', enum: ['on', 'off'] }, reference],
    },
    note: { description: 'A note.', default: '', type: 'string' },
    limits: {
      description: 'Limits.',
      default: {},
      type: 'object',
      properties: { strict: { description: 'Strict?', anyOf: [{ type: 'boolean' }, reference] } },
      additionalProperties: false,
    },
    routes: {
      description: 'Routes.',
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { description: 'Its id.', type: 'string' } },
        required: ['id'],
      },
    },
    targets: {
      description: 'Targets.',
      type: 'array',
      items: {
        anyOf: [
          { type: 'string' },
          { type: 'object', properties: { url: { description: 'Its address.', type: 'string' } } },
          reference,
        ],
      },
    },
    tenants: {
      description: 'Tenants.',
      default: {},
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          features: {
            description: 'Features.',
            default: ['a', 'b'],
            type: 'array',
            items: { type: 'string' },
          },
        },
      },
    },
  },
  required: ['routes'],
}

test('every key has its path, value, default and meaning; bars do not break the table', () => {
  expect(keysTable(configurationKeys(schema)).split('\n')).toEqual([
    '| Key | Value | Default | Meaning |',
    '| --- | --- | --- | --- |',
    '| `port` | integer, 0 to 9 | `8080` | A port. |',
    '| `price` | number, 0 to 1.5 | absent | A price. |',
    '| `mode` | `on`, `off` | `on` | on \\| off |',
    '| `note` | text | `""` | A note. |',
    '| `limits` | map | its defaults | Limits. |',
    '| `limits.strict` | `true`, `false` | absent | Strict? |',
    '| `routes` | list of maps | required | Routes. |',
    '| `routes[].id` | text | required | Its id. |',
    '| `targets` | list of texts or maps | absent | Targets. |',
    '| `targets[].url` | text | absent | Its address. |',
    '| `tenants` | map of maps by name | `{}` | Tenants. |',
    '| `tenants.<name>.features` | list of texts | `[a, b]` | Features. |',
  ])
})

test('the page of the configuration lists every key of the schema once', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/configuration.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path)
  const keys = configurationKeys(configJsonSchema() as KeySchema).map(({ path }) => path)
  expect(keys.length).toBeGreaterThan(80)
  expect(listed.toSorted()).toEqual(keys.filter((path) => path !== 'plugins').toSorted())
})
