import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { folderWith } from '../../packages/cli/test/harness/run-agentic.ts'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'

const text = { type: 'string', minLength: 1 }
const positive = { type: 'integer', minimum: 1 }

// The schema of SARIF 2.1.0 for our objects, closed: unknown properties are faults.
const schema = object({
  $schema: { type: 'string', format: 'uri' },
  version: { const: '2.1.0' },
  runs: list(
    object({
      tool: object({
        driver: object({
          name: text,
          semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          rules: { ...list(object({ id: text, shortDescription: object({ text }) })), uniqueItems: true },
        }),
      }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      results: list(
        object(
          {
            ruleId: text,
            ruleIndex: { type: 'integer', minimum: 0 },
            level: { enum: ['none', 'note', 'warning', 'error'] },
            message: object({ text }),
            locations: list(
              object(
                {
                  physicalLocation: object({
                    artifactLocation: object({ uri: { type: 'string', format: 'uri-reference' } }),
                    region: object({ startLine: positive, startColumn: positive }),
                  }),
                  logicalLocations: list(object({ fullyQualifiedName: text })),
                },
                ['physicalLocation'],
              ),
            ),
          },
          ['message'],
        ),
      ),
    }),
  ),
})

function object(properties: Record<string, object>, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false }
}

function list(items: object) {
  return { type: 'array', items }
}

const validate = new Ajv({
  strict: false,
  formats: {
    uri: (value: string) => URL.canParse(value),
    'uri-reference': (value: string) => URL.canParse(value, 'file:///folder/') && !/[\s\\]/.test(value),
  },
}).compile(schema)

async function sarifOf(source: string, args: readonly string[] = []) {
  const cwd = folderWith({ 'a gateway.yaml': source })
  const { code, stdout } = await runHere(['check', 'a gateway.yaml', '--format', 'sarif', ...args], { cwd })
  const log = JSON.parse(stdout)
  expect(validate(log), JSON.stringify(validate.errors)).toBe(true)
  const [{ tool, results }] = log.runs
  return { code, rules: tool.driver.rules.map(({ id }: { id: string }) => id), results }
}

test('faults are errors of a SARIF log, at their line and column', async () => {
  const { code, rules, results } = await sarifOf(
    'gateway: { prot: 1 }\nplugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }\n',
  )
  expect(code).toBe(2)
  expect(results).toEqual([
    {
      ruleId: 'invalid',
      ruleIndex: rules.indexOf('invalid'),
      level: 'error',
      message: { text: 'routes: is required' },
      locations: [location(1, 1, 'routes')],
    },
    {
      ruleId: 'invalid',
      ruleIndex: rules.indexOf('invalid'),
      level: 'error',
      message: { text: 'gateway.prot: unknown key "prot", did you mean "port"?' },
      locations: [location(1, 12, 'gateway.prot')],
    },
  ])
})

test('warnings are warnings of a SARIF log, and errors with --strict', async () => {
  const source =
    'plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }\nroutes: []\n'
  const expected = (level: string) => [
    {
      ruleId: 'token-validation-off',
      ruleIndex: 2,
      level,
      message: {
        text: 'plugins.token-validator.mode: is off, every request is accepted without a token',
      },
      locations: [location(1, 37, 'plugins.token-validator.mode')],
    },
    {
      ruleId: 'tenant-open',
      ruleIndex: 4,
      level,
      message: {
        text: 'plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook',
      },
      locations: [location(1, 77, 'plugins.tenant-injector.trust_header')],
    },
  ]
  const loose = await sarifOf(source)
  expect([loose.code, loose.results]).toEqual([0, expected('warning')])
  expect(loose.rules[2]).toBe('token-validation-off')
  const strict = await sarifOf(source, ['--strict'])
  expect([strict.code, strict.results]).toEqual([2, expected('error')])
})

test('a file as a whole has no key', async () => {
  const { results } = await sarifOf('')
  expect(results).toMatchObject([{ ruleId: 'invalid', message: { text: 'the file is empty' } }])
  expect(results[0].locations[0].logicalLocations).toBeUndefined()
})

function location(startLine: number, startColumn: number, key: string) {
  return {
    physicalLocation: {
      artifactLocation: { uri: 'a%20gateway.yaml' },
      region: { startLine, startColumn },
    },
    logicalLocations: [{ fullyQualifiedName: key }],
  }
}
