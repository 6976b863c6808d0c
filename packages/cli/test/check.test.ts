import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, runAgentic } from './harness/run-agentic.ts'

const otlpWithoutEndpoint = configuration({
  plugins: { 'otel-audit': { exporter: 'otlp', otlp_endpoint: '' } },
})

const good = `
plugins:
  token-validator:
    issuers:
      - issuer: https://id.example.test
        audience: [agentic]
  tenant-injector: { allowed: [acme] }
routes:
  - { id: read-item, method: GET, path: "/items/{itemId}", target: "http://127.0.0.1:9000" }
`

const bad = `
gateway:
  prot: 8080
  drain_seconds: soon
plugins:
  token-validator:
    issuers:
      - issuer: https://id.example.test
routes:
  - { id: read-item, method: GTE, path: /items, target: "http://127.0.0.1:9000" }
`

const badFaults = [
  {
    file: 'gateway.yaml',
    line: 3,
    column: 3,
    path: 'gateway.prot',
    message: 'unknown key "prot", did you mean "port"?',
    kind: 'invalid',
  },
  {
    file: 'gateway.yaml',
    line: 4,
    column: 18,
    path: 'gateway.drain_seconds',
    message: 'expected an integer from 0 to 3600, got "soon"',
    kind: 'invalid',
  },
  {
    file: 'gateway.yaml',
    line: 10,
    column: 30,
    path: 'routes[0].method',
    message: 'expected one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, got "GTE", did you mean "GET"?',
    kind: 'invalid',
  },
]

function check(text: string, options: { args?: readonly string[]; env?: Record<string, string> } = {}) {
  const cwd = folderWith({ 'gateway.yaml': text })
  return runAgentic(['check', 'gateway.yaml', ...(options.args ?? [])], { cwd, env: options.env ?? {} })
}

test('a valid file is called valid', async () => {
  expect(await check(good)).toEqual({ code: 0, signal: null, stdout: 'gateway.yaml is valid\n', stderr: '' })
})

test('a valid file is reported as JSON', async () => {
  const { code, stdout, stderr } = await check(good, { args: ['--json'] })
  expect(JSON.parse(stdout)).toEqual({ file: 'gateway.yaml', valid: true, faults: [], warnings: [] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('warnings go to stderr and leave the file valid', async () => {
  expect(await check(configuration())).toEqual({
    code: 0,
    signal: null,
    stdout: 'gateway.yaml is valid\n',
    stderr:
      'gateway.yaml: warning: plugins.token-validator.mode is off: every request is accepted without a token\n',
  })
})

test('an open audience and an open tenant are warned about, with the way to close them', async () => {
  const issuers = [{ issuer: 'https://id.example.test' }]
  const { code, stderr } = await check(configuration({ plugins: { 'token-validator': { issuers } } }))
  expect(code).toBe(0)
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^gateway\.yaml: warning: plugins\.token-validator\.issuers\[0\]\.audience is empty: /,
    ),
    expect.stringMatching(
      /^gateway\.yaml: warning: plugins\.tenant-injector .*X-Tenant-ID.*allowed.*webhook/,
    ),
    '',
  ])
})

test('files that are named and not there are warned about', async () => {
  const cwd = folderWith({
    'here.pem': '',
    'gateway.yaml': `
gateway: { tls: { cert_file: here.pem, key_file: tls.key } }
plugins:
  token-validator:
    issuers:
      - { issuer: a, audience: [agentic], jwks_file: keys.json }
      - { issuer: b, audience: [agentic], jwks_file: here.pem }
  tenant-injector: { allowed: [acme] }
routes: [ { id: read, method: GET, path: /read, target: "https://127.0.0.1:9000", ca_file: ca.pem } ]
`,
  })
  const { code, stdout } = await runAgentic(['check', 'gateway.yaml', '--json'], { cwd })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).warnings).toEqual([
    `gateway.tls.key_file: there is no file ${cwd}/tls.key here`,
    `plugins.token-validator.issuers[0].jwks_file: there is no file ${cwd}/keys.json here`,
    `routes[0].ca_file: there is no file ${cwd}/ca.pem here`,
  ])
})

test('all faults of a file are printed at once, as compilers print them', async () => {
  const stderr = badFaults
    .map(({ file, line, column, path, message }) => `${file}:${line}:${column}: ${path}: ${message}\n`)
    .join('')
  expect(await check(bad)).toEqual({ code: 2, signal: null, stdout: '', stderr })
})

test('all faults of a file are reported as JSON', async () => {
  const { code, stdout, stderr } = await check(bad, { args: ['--json'] })
  expect(JSON.parse(stdout)).toEqual({ file: 'gateway.yaml', valid: false, faults: badFaults, warnings: [] })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
})

test('a file that is not there is a fault', async () => {
  expect(await runAgentic(['check', 'nowhere.yaml'])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'nowhere.yaml:1:1: there is no such file\n',
  })
})

test('otlp without an endpoint is a fault like any other', async () => {
  const { code, stderr } = await check(otlpWithoutEndpoint)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^gateway\.yaml:1:\d+: plugins\.otel-audit\.otlp_endpoint: [^\n]+\n$/)
})

test('a variable comes from the environment', async () => {
  const text = `gateway:\n  port: \${PORT}${good}`
  expect((await check(text, { env: { PORT: '8080' } })).code).toBe(0)
  const { code, stderr } = await check(text)
  expect(code).toBe(2)
  expect(stderr).toContain('gateway.port: ')
  expect(stderr).toContain('PORT')
})

test('a secret is never printed, from the file or from the environment', async () => {
  const issuer = { issuer: 'tests', algorithms: ['HS256'], hs256_secret: 'short-plain-secret' }
  const other = { issuer: 'others', algorithms: ['RS256'], hs256_secret: '${SECRET}' }
  const text = configuration({ plugins: { 'token-validator': { issuers: [issuer, other] } } })
  for (const args of [[], ['--json']]) {
    const { code, stdout, stderr } = await check(text, { args, env: { SECRET: 'short-env-secret' } })
    expect(code).toBe(2)
    expect(`${stdout}${stderr}`).toContain('hs256_secret')
    expect(`${stdout}${stderr}`).not.toMatch(/short-(plain|env)-secret/)
  }
})
