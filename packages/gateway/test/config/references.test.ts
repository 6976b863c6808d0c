import { expect, test } from 'vitest'
import { formatFaults } from '../../src/config/faults.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

function read(gateway: string, env: Record<string, string>, plugins = '') {
  const text = `gateway:\n${gateway}\nplugins:\n  token-validator: { mode: off }\n  tenant-injector: { trust_header: everyone }\n${plugins}\nroutes: []\n`
  const result = parseConfig(text, { file: 'gateway.yaml', env })
  return result.ok ? result.config : formatFaults(result.faults)
}

test.each(['8081', '0x1F91', '0o17621', '+8081'])('a plain reference to %s is a number', (PORT) => {
  expect(read('  port: ${PORT}', { PORT })).toMatchObject({ gateway: { port: 8081 } })
})

test('the default of a plain reference is a number too', () => {
  expect(read('  port: ${PORT:-8082}', {})).toMatchObject({ gateway: { port: 8082 } })
})

test('a plain reference can be a boolean', () => {
  const audit = '  otel-audit:\n    enabled: ${AUDIT}'
  expect(read('  port: 1', { AUDIT: 'false' }, audit)).toMatchObject({
    plugins: { 'otel-audit': { enabled: false } },
  })
})

test.each(['"${PORT}"', "'${PORT}'"])('%s in quotes is a number where a number is wanted', (port) => {
  expect(read(`  port: ${port}`, { PORT: '8081' })).toMatchObject({ gateway: { port: 8081 } })
})

test('a reference in quotes to a number out of range is refused without its value', () => {
  expect(read('  port: "${PORT}"', { PORT: '80810' })).toBe(
    'gateway.yaml:2:9: gateway.port: expected an integer from 0 to 65535, got the value of ${PORT}',
  )
})

test('a reference in quotes stays a text where a text is wanted', () => {
  const webhook =
    '  license-check:\n    webhook:\n      url: http://l.test/{tenant}/{feature}\n      headers:\n        x-key: "${KEY}"'
  expect(read('  port: 1', { KEY: '0123' }, webhook)).toMatchObject({
    plugins: { 'license-check': { webhook: { headers: { 'x-key': '0123' } } } },
  })
})

test('a text around a reference keeps it a text', () => {
  expect(read('  port: 80${X}', { X: '81' })).toBe(
    'gateway.yaml:2:9: gateway.port: expected an integer from 0 to 65535, got the value of ${X}',
  )
})

test.each(['0123', '1e5', 'true', 'null', '~', '0x10', '.inf'])(
  'a plain reference to %s is a text where a text is wanted',
  (value) => {
    const webhook =
      '  license-check:\n    webhook:\n      url: http://l.test/{tenant}/{feature}\n      headers:\n        x-key: ${KEY}'
    expect(read('  port: 1', { KEY: value }, webhook)).toMatchObject({
      plugins: { 'license-check': { webhook: { headers: { 'x-key': value } } } },
    })
  },
)

test('an empty variable is an empty text, not nothing', () => {
  const audit = '  otel-audit:\n    otlp_endpoint: ${COLLECTOR}'
  expect(read('  port: 1', { COLLECTOR: '' }, audit)).toMatchObject({
    plugins: { 'otel-audit': { otlp_endpoint: '' } },
  })
})

test('references work in every kind of scalar', () => {
  const values = [
    '${H}.test',
    '"${H}.test"',
    "'${H}.test'",
    '>-\n    ${H}.test',
    '|-\n    ${H}.test',
    '!!str ${H}.test',
  ]
  for (const value of values) {
    expect(read(`  host: ${value}`, { H: 'home' })).toMatchObject({ gateway: { host: 'home.test' } })
  }
})

test('an escaped reference is a literal', () => {
  const rules = '  prompt-sanitize:\n    rules: [ { name: a, keywords: ["$${SECRET}"] } ]'
  expect(read('  port: 1', { SECRET: 'x' }, rules)).toMatchObject({
    plugins: { 'prompt-sanitize': { rules: [{ keywords: ['${SECRET}'] }] } },
  })
})

test('a value cannot become YAML', () => {
  for (const value of ['{ port: 1 }', '[1]', '&a 1', '*a', '!!int 1', '1 # one', 'a: b', '\n  port: 1']) {
    expect(read('  host: ${H}', { H: value })).toBe(
      'gateway.yaml:2:9: gateway.host: must be a host name or an IP address, without a port',
    )
  }
})

test('keys are not references', () => {
  expect(read('  ${KEY}: 1', { KEY: 'port' })).toBe(
    'gateway.yaml:2:3: gateway["${KEY}"]: unknown key "${KEY}"',
  )
})
