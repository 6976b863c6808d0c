import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

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
  - { id: read-item, method: GET, path: "/items/{itemId}", target: "http://127.0.0.1:9000", forwardAuthorization: false }
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

const publicKeys = JSON.stringify({
  keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })],
})

function check(text: string, options: { args?: readonly string[]; env?: Record<string, string> } = {}) {
  const cwd = folderWith({ 'gateway.yaml': text })
  return runHere(['check', 'gateway.yaml', ...(options.args ?? [])], { cwd, env: options.env ?? {} })
}

test('a valid file is called valid', async () => {
  expect(await check(good)).toEqual({ code: 0, stdout: 'gateway.yaml is valid\n', stderr: '' })
})

test('a valid file is reported as JSON', async () => {
  const { code, stdout, stderr } = await check(good, { args: ['--json'] })
  expect(JSON.parse(stdout)).toEqual({
    file: 'gateway.yaml',
    valid: true,
    passed: true,
    faults: [],
    warnings: [],
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('warnings go to stderr and leave the file valid', async () => {
  expect(await check(configuration())).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
    stderr:
      'gateway.yaml:1:60: warning: plugins.token-validator.mode: is off, every request is accepted without a token [token-validation-off]\n' +
      'gateway.yaml:1:101: warning: plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook [tenant-open]\n',
  })
})

test('an open audience and an open tenant are warned about, with the way to close them', async () => {
  const issuers = [{ issuer: 'https://id.example.test' }]
  const { code, stderr } = await check(
    configuration({
      plugins: { 'token-validator': { issuers }, 'tenant-injector': { trust_header: 'everyone' } },
    }),
  )
  expect(code).toBe(0)
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^gateway\.yaml:1:\d+: warning: plugins\.token-validator\.issuers\[0\]\.audience: is empty, .* \[audience-missing\]$/,
    ),
    expect.stringMatching(
      /^gateway\.yaml:1:\d+: warning: plugins\.tenant-injector\.trust_header: .*X-Tenant-ID.*claim.*webhook.* \[tenant-open\]$/,
    ),
    '',
  ])
})

test('files that are named and not there are warned about', async () => {
  const cwd = folderWith({
    'here.pem': '',
    'good.json': publicKeys,
    'gateway.yaml': `
gateway: { tls: { cert_file: here.pem, key_file: tls.key }, approvals_page: { key_files: [here.pem, old] } }
plugins:
  token-validator:
    issuers:
      - { issuer: a, audience: [agentic], jwks_file: keys.json }
      - { issuer: b, audience: [agentic], jwks_file: good.json }
  tenant-injector: { allowed: [acme] }
routes: [ { id: read, method: GET, path: /read, target: "https://127.0.0.1:9000", ca_file: ca.pem,
  client_cert_file: own.pem, client_key_file: own.key, forwardAuthorization: false } ]
`,
  })
  // The key files without a shared store are warned about on their own.
  const allowed = ['--allow', 'sessions-in-memory']
  const { code, stdout } = await runHere(['check', 'gateway.yaml', '--json', ...allowed], { cwd })
  expect(code).toBe(0)
  const missing = (place: { line: number; column: number; path: string }, file: string) => ({
    id: 'missing-file',
    file: 'gateway.yaml',
    ...place,
    message: `there is no file ${cwd}/${file} here`,
  })
  expect(JSON.parse(stdout).warnings).toEqual([
    missing({ line: 2, column: 50, path: 'gateway.tls.key_file' }, 'tls.key'),
    missing({ line: 2, column: 101, path: 'gateway.approvals_page.key_files[1]' }, 'old'),
    missing({ line: 6, column: 54, path: 'plugins.token-validator.issuers[0].jwks_file' }, 'keys.json'),
    missing({ line: 9, column: 92, path: 'routes[0].ca_file' }, 'ca.pem'),
    missing({ line: 10, column: 21, path: 'routes[0].client_cert_file' }, 'own.pem'),
    missing({ line: 10, column: 47, path: 'routes[0].client_key_file' }, 'own.key'),
  ])
})

test('each kind of file is looked for: authorities of Redis and the key of the log, no module and no log', async () => {
  const cwd = folderWith({
    'gateway.yaml': `
gateway: { shared: { redis_url: "rediss://127.0.0.1", ca_file: redis.pem } }
plugins:
  token-validator: { mode: "off" }
  tenant-injector: { trust_header: everyone, allowed: [acme] }
  otel-audit: { exporter: file, file: audit.log, head_file: head/audit, seal: { key_file: log.key, name: log.test/a } }
routes: []
`,
  })
  const { stdout } = await runHere(['check', 'gateway.yaml', '--json'], { cwd })
  const warnings: { id: string; path: string }[] = JSON.parse(stdout).warnings
  expect(warnings.filter(({ id }) => id === 'missing-file').map(({ path }) => path)).toEqual([
    'gateway.shared.ca_file',
    'plugins.otel-audit.seal.key_file',
  ])
})

test('all faults of a file are printed at once, as compilers print them', async () => {
  const stderr = badFaults
    .map(({ file, line, column, path, message }) => `${file}:${line}:${column}: ${path}: ${message}\n`)
    .join('')
  expect(await check(bad)).toEqual({ code: 2, stdout: '', stderr })
})

test('all faults of a file are reported as JSON', async () => {
  const { code, stdout, stderr } = await check(bad, { args: ['--json'] })
  expect(JSON.parse(stdout)).toEqual({
    file: 'gateway.yaml',
    valid: false,
    passed: false,
    faults: badFaults,
    warnings: [],
  })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
})

const keyFile = `
plugins:
  token-validator:
    issuers:
      - { issuer: a, audience: [agentic], jwks_file: keys.json }
      - { issuer: b, audience: [agentic], algorithms: [HS256], hs256_secret_file: secret }
  tenant-injector: { allowed: [acme] }
routes:
  - { id: read, method: GET, path: /read, target: "https://127.0.0.1:9000", ca_file: ca.pem, forwardAuthorization: false }
`

test('the contents that a start would refuse are faults, all at once', async () => {
  const cwd = folderWith({
    'keys.json': '{"keys":[]}',
    secret: 'short',
    'ca.pem': 'none',
    'gateway.yaml': keyFile,
  })
  expect(await runHere(['check', 'gateway.yaml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'gateway.yaml:5:9: plugins.token-validator.issuers[0]: issuer a: jwks_file has no public key for the allowed algorithms\n' +
      'gateway.yaml:6:9: plugins.token-validator.issuers[1]: hs256_secret_file: its content must have at least 32 characters\n' +
      'gateway.yaml:9:5: routes[0]: ca_file is not a PEM certificate\n',
  })
})

test('an empty key set and a plugin that cannot load are reported beside the other faults', async () => {
  const cwd = folderWith({
    'keys.json': '{"keys":[]}',
    'gateway.yaml': `
gateway: { prot: 8080 }
plugins:
  token-validator:
    issuers:
      - { issuer: a, audience: [agentic], jwks_file: keys.json }
  custom: [ { name: mine, module: ./nowhere.js } ]
routes: []
`,
  })
  expect(await runHere(['check', 'gateway.yaml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'gateway.yaml:2:12: gateway.prot: unknown key "prot", did you mean "port"?\n' +
      'gateway.yaml:6:9: plugins.token-validator.issuers[0]: issuer a: jwks_file has no public key for the allowed algorithms\n' +
      'gateway.yaml:7:35: plugins.custom[0].module: there is no such file\n',
  })
})

const late = (gateway: string) => `
gateway: { ${gateway} }
plugins:
  token-validator: { issuers: [ { issuer: "https://id.example.test", audience: [agentic] } ] }
  tenant-injector: { allowed: [acme] }
  prompt-sanitize: { rules: [ { name: unseen, keywords: ["\\u200b"] } ] }
  otel-audit: { exporter: file, file: audit/log, head_file: head/log, seal: { key_file: seal.key, name: example.com/log } }
  custom:
    - { name: first, module: ./first.js }
    - { name: second, module: ./second.js }
routes: []
`

test.each([
  { file: 'a valid file', gateway: '', also: '' },
  {
    file: 'a refused file',
    gateway: 'prot: 8080',
    also: 'gateway.yaml:2:12: gateway.prot: unknown key "prot", did you mean "port"?\n',
  },
])('rules, seals and plugins that a start would refuse are faults of $file', async ({ gateway, also }) => {
  const cwd = folderWith({
    'first.js': "export const plugin = { name: 'first', create() { throw new Error('no room') } }",
    'second.js': "export const plugin = { name: 'second', create: () => ({ requst() {} }) }",
    'seal.key': 'none',
    'gateway.yaml': late(gateway),
  })
  expect(await runHere(['check', 'gateway.yaml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `${also}${[
      'gateway.yaml:6:31: plugins.prompt-sanitize.rules[0]: prompt-sanitize: rule unseen has a keyword without a visible character',
      'gateway.yaml:7:77: plugins.otel-audit.seal: key_file: the key is not an Ed25519 private key in PEM',
      'gateway.yaml:9:7: plugins.custom[0]: create failed: no room',
      'gateway.yaml:10:7: plugins.custom[1]: create returned the unknown hook "requst", did you mean "request"?',
    ].join('\n')}\n`,
  })
})

test('a key of a seal that cannot be read is a fault, one that is not here a warning', async () => {
  const text = late('')
    .replace(/ {2}(?:prompt-sanitize|custom).*\n/g, '')
    .replace(/ {4}- .*\n/g, '')
  const unread = folderWith({ 'gateway.yaml': text })
  mkdirSync(join(unread, 'seal.key'))
  expect(await runHere(['check', 'gateway.yaml'], { cwd: unread })).toMatchObject({
    code: 2,
    stderr: 'gateway.yaml:6:77: plugins.otel-audit.seal: key_file: cannot read the file (EISDIR)\n',
  })
  const absent = folderWith({ 'gateway.yaml': text })
  const { code, stdout } = await runHere(['check', 'gateway.yaml', '--json'], { cwd: absent })
  expect([code, JSON.parse(stdout).warnings]).toEqual([
    0,
    [
      {
        id: 'missing-file',
        file: 'gateway.yaml',
        line: 6,
        column: 89,
        path: 'plugins.otel-audit.seal.key_file',
        message: `there is no file ${absent}/seal.key here`,
      },
    ],
  ])
})

test('check closes the plugins that it creates', async () => {
  const cwd = folderWith({
    'mine.js': `import { writeFileSync } from 'node:fs'
      export const plugin = {
        name: 'mine',
        create: (_, { baseFolder }) => ({
          request() {},
          close: () => writeFileSync(baseFolder + '/closed', ''),
        }),
      }`,
    'gateway.yaml': `${good.replace('routes:', '  custom: [ { name: mine, module: ./mine.js } ]\nroutes:')}`,
  })
  expect((await runHere(['check', 'gateway.yaml'], { cwd })).code).toBe(0)
  expect(existsSync(join(cwd, 'closed'))).toBe(true)
})

test('an allowed finding does not fail a strict check and stays visible', async () => {
  const args = ['--strict', '--allow', 'token-validation-off', '--allow', 'tenant-open']
  expect(await check(configuration(), { args })).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid; 2 findings are allowed: token-validation-off, tenant-open\n',
    stderr: '',
  })
  const { code, stdout } = await check(configuration(), { args: [...args.slice(0, 3), '--json'] })
  const { passed, warnings, allowed } = JSON.parse(stdout)
  expect(code).toBe(2)
  expect({ passed, warnings, allowed }).toMatchObject({
    passed: false,
    warnings: [{ id: 'tenant-open' }],
    allowed: [{ id: 'token-validation-off' }],
  })
})

test.each(['invalid', 'initialisation', 'tenant-opn'])('--allow %s is refused', async (rule) => {
  const { code, stderr } = await check(configuration(), { args: ['--allow', rule] })
  expect(stderr).toMatch(new RegExp(`^agentic check: --allow .*${rule}`))
  expect(code).toBe(2)
})

test('a file that is not there is a fault', async () => {
  expect(await runHere(['check', 'nowhere.yaml'])).toEqual({
    code: 2,
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

const unwise = `plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }
routes:
  - { id: "ask,it", method: POST, path: /invoke, target: "http://127.0.0.1:9000" }
`

test('--strict treats warnings as errors and ends with 2', async () => {
  const message =
    'looks like a generic invoke endpoint; the profile has each operation on a resource of its own, for example ' +
    'POST /campaigns/{campaignId}/optimizations'
  expect(await check(unwise, { args: ['--strict'] })).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      'gateway.yaml:1:37: error: plugins.token-validator.mode: is off, every request is accepted without a token [token-validation-off]',
      'gateway.yaml:1:77: error: plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook [tenant-open]',
      `gateway.yaml:3:41: error: routes[0].path: ${message} [generic-invoke]`,
      'gateway.yaml is valid, but --strict treats warnings as errors',
      '',
    ].join('\n'),
  })
  expect((await check(good, { args: ['--strict'] })).code).toBe(0)
  const { code, stdout } = await check(unwise, { args: ['--strict', '--json'] })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ valid: true, passed: false, faults: [] })
})

test('--format github annotates the lines, with nothing that could end an annotation', async () => {
  const { code, stdout, stderr } = await check(unwise, { args: ['--format', 'github'] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    '::warning file=gateway.yaml,line=1,col=37,title=agentic check%3A token-validation-off::plugins.token-validator.mode: is off, every request is accepted without a token',
    '::warning file=gateway.yaml,line=1,col=77,title=agentic check%3A tenant-open::plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook',
    expect.stringMatching(
      /^::warning file=gateway\.yaml,line=3,col=41,title=agentic check%3A generic-invoke::routes\[0\]\.path: looks like /,
    ),
    '',
  ])
  const faulty = await check(bad, { args: ['--format', 'github'] })
  expect(faulty.code).toBe(2)
  expect(faulty.stdout.split('\n')[0]).toBe(
    '::error file=gateway.yaml,line=3,col=3,title=agentic check%3A invalid::gateway.prot: unknown key "prot", did you mean "port"?',
  )
})

test('--json beside another format is refused', async () => {
  expect(await check(good, { args: ['--json', '--format', 'sarif'] })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'agentic check: --json and --format sarif exclude each other\n',
  })
  expect((await check(good, { args: ['--json', '--format', 'json'] })).code).toBe(0)
})
