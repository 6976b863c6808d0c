import { headers, malformedStatuses, outcomes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { oneHome } from './one-home.ts'

function faultsOf(source: string, path = 'packages/gateway/src/a.ts'): string[] {
  return oneHome(temporaryTree({ [path]: source })).map((fault) =>
    formatFault(fault).replace(' is spelled outside the profile: import it from @agentic-rest/profile', ''),
  )
}

test('sources that import the values are clean', () => {
  const source = `
    import { headers, outcomes } from '@agentic-rest/profile'
    // a comment may say 404 and application/vnd.agentic.error+json
    respond(outcomes.error.status, { [headers.tenantId]: tenant, accept: 'application/json' })
  `
  expect(faultsOf(source)).toEqual([])
})

test.each([
  'respond(404)',
  'const status = 404',
  'const table = { 404: 1 }',
  'if (answer.status === 404) stop()',
  'type Status = 404',
  'function answer(status = 404) {}',
  'const { status = 404 } = answer',
  'class Answer { status = 404 }',
  'answer.status = 404',
  "const responses = { '404': {} }",
  'const n = 0x194',
  'const waitMs = () => respond(404)',
  'const retryAfterSeconds = { 404: 60 }',
  'const maxTries = { status: 404 }',
  'const retryAfterSeconds = status === 404 ? 60 : 0',
  'const waitMs = 404 !== status ? 0 : 1',
  'const maxStatus = 404',
  'const statusCount = 404',
  'const MAX_CODE = 404',
  'const delaySeconds = secondsFor(404)',
  'const delaySeconds = new Delay(404)',
  'const delaySeconds = delays[404]',
  'const limits = { maxTries: triesOf(answer, 404) }',
  'const ms = (() => { switch (status) { case 404: return 1 } })()',
  "socket.end('HTTP/1.1 404 Not Found\\r\\n\\r\\n')",
  'socket.end(`HTTP/1.0 404 ${reason}`)',
])('a status is seen in %j', (source) => {
  expect(faultsOf(source)).toEqual(['packages/gateway/src/a.ts:1: status 404'])
})

test.each(Object.values(outcomes).map(({ status }) => status))('%d is a status', (status) => {
  expect(faultsOf(`f(${status})`)).toEqual([`packages/gateway/src/a.ts:1: status ${status}`])
})

test.each(Object.values(malformedStatuses))('%d answers malformed HTTP', (status) => {
  expect(faultsOf(`f(${status})`)).toEqual([`packages/gateway/src/a.ts:1: status ${status}`])
})

test.each([401, 404, 405, 413, 429, 503])('%d is a status outside the ten', (status) => {
  expect(faultsOf(`f(${status})`)).toEqual([`packages/gateway/src/a.ts:1: status ${status}`])
})

test.each([
  'const timeoutMs = 500',
  'const TIMEOUT_MS = 500',
  'const defaults = { timeout_ms: 500, cacheEntries: 200, max_entries: 201 }',
  'const timeout_ms = z.number().int().default(500)',
  'const section = { timeout_ms: integer(1, 60).default(500).describe("In milliseconds.") }',
  'const waitMs = Math.min(500, left)',
  'const FIXED_MILLISECONDS = 500',
  'const delaysMs = [200, 500] as const',
  'const delaySeconds = late ? 200 : 400',
  'type Limits = { readonly timeoutMs: 500 | 400 }',
  'function wait(delaySeconds = 200) {}',
  'class Cache { maxAge = 400 }',
  'options.bodyBytes = 2 * 400',
  'const MAX_DEPTH = 200',
  'const row = { wordCount: 409, nameLength: 412, depth: 422 }',
  'const port = 8080, big = 4040, part = 4.04',
])('a quantity is no status: %s', (source) => {
  expect(faultsOf(source)).toEqual([])
})

test.each([
  ["const t = 'application/vnd.agentic.unknown+json'", 'vnd.agentic'],
  ['const t = `application/vnd.agentic.${name}`', 'vnd.agentic'],
  ["const t = 'application/' + 'VND.Agentic' + '.x'", 'vnd.agentic'],
  ['const t = /^application\\/vnd\\.agentic\\./', 'vnd.agentic'],
  ['const t = `${VENDOR_PREFIX}error+json`', 'error+json'],
  ["const t = VENDOR_PREFIX + 'validation-error+json'", 'validation-error+json'],
])('a media type is seen in %j', (source, value) => {
  expect(faultsOf(source)).toEqual([`packages/gateway/src/a.ts:1: media type ${value}`])
})

test('a media type in the text of a page is found', () => {
  const source = 'const page = <p>\n application/vnd.agentic.x+json</p>'
  expect(faultsOf(source, 'packages/console/src/a.tsx')).toEqual([
    'packages/console/src/a.tsx:1: media type vnd.agentic',
  ])
})

test.each(Object.values(headers))('%s is a header name in any case', (name) => {
  const lower = name.toLowerCase()
  const source = `get('${lower}')\nset({ '${name.toUpperCase()}': 1 })\nget(\`${name}\`)\nsay('the ${name} header')\n`
  expect(faultsOf(source)).toEqual(
    [1, 2, 3].map((line) => `packages/gateway/src/a.ts:${line}: header name ${lower}`),
  )
})

test.each([
  ['set({ Authorization: token })', 'authorization'],
  ['const { Authorization: token } = given', 'authorization'],
  ['request.headers.authorization', 'authorization'],
  ['request.headers?.authorization', 'authorization'],
  ['(headers) => headers.authorization', 'authorization'],
  ['answer.Authorization', 'authorization'],
  ['send(url, { headers: { authorization: token } })', 'authorization'],
  ['send(url, { headers: { traceparent } })', 'traceparent'],
  ['const ownHeaders = { traceparent }', 'traceparent'],
  ['const headers = known ? { ...(token && { authorization: token }) } : {}', 'authorization'],
  ['const ownHeaders = () => ({ traceparent })', 'traceparent'],
  ['function ownHeaders() { if (known) { return { traceparent } } }', 'traceparent'],
  ['request.headers = { traceparent }', 'traceparent'],
  ['new Headers({ authorization: token })', 'authorization'],
  ['response.writeHead(ok, { traceparent })', 'traceparent'],
  ['const { authorization } = request.headers', 'authorization'],
  ['const { authorization } = await readHeaders(request)', 'authorization'],
  ['const { headers: { traceparent } } = request', 'traceparent'],
  ['({ headers: { authorization } = {} }) => authorization', 'authorization'],
  ['const sentHeaders = { X_Tenant_ID: tenant }', 'x-tenant-id'],
  ['request.headers.idempotencyKey', 'idempotency-key'],
  ["socket.write('X-Agentic-Profile: v0.3\\r\\n')", 'x-agentic-profile'],
  ["socket.write('Connection: close\\r\\nx-agentic-profile : v0.3')", 'x-agentic-profile'],
  ['socket.write(`\\r\\nX-Tenant-ID: ${tenant}`)', 'x-tenant-id'],
  ['const example = "curl -H \'X-Tenant-ID: acme\'"', 'x-tenant-id'],
  ["allow('Accept, X-Tenant-ID')", 'x-tenant-id'],
  ['const own = /^(x-tenant-id|accept)$/i', 'x-tenant-id'],
])('a header name is seen in %j', (source, value) => {
  expect(faultsOf(source)).toEqual([`packages/gateway/src/a.ts:1: header name ${value}`])
})

test.each([
  'const call = { authorization: token, traceparent, contentType }',
  'caller.authorization ?? caller.traceparent ?? caller.retryAfter',
  'const { authorization, traceparent } = caller',
  "type Passed = Pick<Caller, 'authorization' | 'traceparent'>",
  'interface Caller { readonly authorization: string; readonly traceparent: string }',
  'callHeaders(request, { authorization, trace })',
  'function callHeaders({ authorization }) {}',
  'const callHeaders = ({ authorization }) => []',
  'identity.authorization({ authorization })',
  "const fix = 'Send `Authorization: Bearer <token>`, or set Idempotency-Key: it helps.'",
  "const text = 'authorization, as everybody knows, comes first'",
  "const path = 'retry-after.ts'",
])('what is no header name is none: %s', (source) => {
  expect(faultsOf(source)).toEqual([])
})

test.each([
  "import { headers } from '@agentic-rest/profile'\nget(headers.authorization, headers.contentType)",
  "import { headers as ownHeaders } from '@agentic-rest/profile'\nget(ownHeaders.authorization)",
  "import * as profile from '@agentic-rest/profile'\nget(profile.headers.traceparent)",
  "import { headers } from '../../profile/src/headers.ts'\nconst { authorization, contentType } = headers",
])('the names of the profile itself are clean: %s', (source) => {
  expect(faultsOf(source)).toEqual([])
})

test('an imported name with a second declaration is not trusted', () => {
  const source =
    "import { headers } from '@agentic-rest/profile'\nconst f = ({ headers }) => headers.authorization"
  expect(faultsOf(source)).toEqual(['packages/gateway/src/a.ts:2: header name authorization'])
})

test('tests and measurements may spell expected values', () => {
  const source = "expect(404, 'application/vnd.agentic.error+json', 'x-tenant-id')"
  for (const path of [
    'packages/gateway/src/a.test.ts',
    'packages/gateway/test/a.ts',
    'packages/gateway/bench/deep/a.ts',
    'examples/campaigns/test/a.ts',
    'tests/a.ts',
    'bench/a.ts',
  ]) {
    expect(faultsOf(source, path)).toEqual([])
  }
})

test.each(['packages/gateway/src/test/a.ts', 'packages/gateway/src/bench/a.ts', 'tools/test/a.ts'])(
  '%s is shipped or used like any other source',
  (path) => {
    expect(faultsOf('f(404)', path)).toEqual([`${path}:1: status 404`])
  },
)

test('tools and examples are checked too', () => {
  expect(faultsOf('f(404)', 'tools/a.ts')).toEqual(['tools/a.ts:1: status 404'])
  expect(faultsOf('f(404)', 'examples/b/src/a.js')).toEqual(['examples/b/src/a.js:1: status 404'])
})

test('inside the profile a value spelled in one file, however often, is clean', () => {
  const root = temporaryTree({
    'packages/profile/src/outcomes.ts': 'export const a = [404, 404, `${P}error+json`, `${P}error+json`]\n',
    'packages/profile/src/headers.ts': "export const b = ['X-Tenant-ID']\n",
  })
  expect(oneHome(root)).toEqual([])
})

test('inside the profile a value spelled in two files is a fault in both', () => {
  const root = temporaryTree({
    'packages/profile/src/a.ts': "export const a = [404, 'error+json', 'X-Tenant-ID']\n",
    'packages/profile/src/b.ts': "\nexport const b = [404, 'error+json', 'x-tenant-id']\n",
  })
  const places = ['packages/profile/src/a.ts:1:', 'packages/profile/src/b.ts:2:']
  expect(oneHome(root).map(formatFault)).toEqual(
    ['status 404', 'media type error+json', 'header name x-tenant-id'].flatMap((what) =>
      places.map((place) => `${place} ${what} is spelled in 2 files of the profile: keep one`),
    ),
  )
})
