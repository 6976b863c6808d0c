import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts'

const schema = configJsonSchema()
const validate = new Ajv2020({ allErrors: true }).compile(schema)
const faultsOf = (value: unknown): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)

/** Every property of the schema with its path, maps keyed by the operator and list entries included. */
function propertiesOf(
  { properties = {}, items, additionalProperties }: JsonSchema,
  path = '',
): [string, JsonSchema][] {
  const own = Object.entries(properties).flatMap(([key, value]): [string, JsonSchema][] => [
    [`${path}.${key}`, value],
    ...propertiesOf(value, `${path}.${key}`),
  ])
  const entries = items === undefined ? [] : propertiesOf(items, `${path}[]`)
  const values =
    typeof additionalProperties === 'object' ? propertiesOf(additionalProperties, `${path}.*`) : []
  return [...own, ...entries, ...values]
}

test('every key is described', () => {
  const properties = propertiesOf(schema)
  expect(properties.length).toBeGreaterThan(80)
  expect(
    properties.filter(([, { description = '' }]) => description.length < 10).map(([path]) => path),
  ).toEqual([])
})

test('every map is closed', () => {
  const open = propertiesOf(schema).filter(
    ([, { type, additionalProperties }]) => type === 'object' && (additionalProperties ?? true) === true,
  )
  expect(open.map(([path]) => path)).toEqual([])
  expect(schema.additionalProperties).toBe(false)
})

test('the shipped schema is the one the code generates', () => {
  const shipped = readFileSync(new URL('../../gateway.schema.json', import.meta.url), 'utf8')
  expect(shipped).toBe(`${JSON.stringify(schema, null, 2)}\n`)
})

describe('an editor accepts a good file as it is written, references and all', () => {
  const folder = new URL('good/', import.meta.url)
  test.each(readdirSync(folder))('%s', (name) => {
    expect(faultsOf(parse(readFileSync(new URL(name, folder), 'utf8')))).toEqual([])
  })
})

test('an editor marks what is wrong without knowing the environment', () => {
  const file = {
    gateway: { port: 'eighty', prot: 1, drain_seconds: 3601, admin: { port: 'tcp:${PORT}' } },
    plugins: { 'token-validator': { mode: 'maybe', issuers: [{}] }, 'otel-audit': { enabled: 'yes' } },
    routes: [{ id: 'a', method: 'GTE', path: '/a', target: 'http://a', executionTimeoutSeconds: -1 }],
  }
  expect(faultsOf(file).filter((fault) => !/ (anyOf|\$ref|pattern|type)$/.test(fault))).toEqual([
    '/gateway additionalProperties',
    '/gateway/drain_seconds maximum',
    '/plugins/token-validator/mode enum',
    '/plugins/token-validator/issuers/0 required',
    '/routes/0/method enum',
    '/routes/0/executionTimeoutSeconds minimum',
  ])
  expect(faultsOf(file)).toEqual(
    expect.arrayContaining(['/gateway/port anyOf', '/plugins/otel-audit/enabled anyOf']),
  )
})

test('a reference may stand for a number, a boolean or one of a few words', () => {
  const file = {
    gateway: { port: '${PORT}', drain_seconds: '${DRAIN:-25}' },
    plugins: { 'token-validator': { mode: '${MODE:?on or off}' }, 'otel-audit': { enabled: '${AUDIT}' } },
    routes: [],
  }
  expect(faultsOf(file)).toEqual([])
})
