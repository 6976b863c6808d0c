import { headers, outcomes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { oneHome } from './one-home.ts'

function faultsOf(source: string, path = 'packages/gateway/src/a.ts'): string[] {
  return oneHome(temporaryTree({ [path]: source })).map((fault) =>
    formatFault(fault).replace(' is spelled outside the profile: import it from @agentic-rest/profile', ''),
  )
}

test('sources that import what they need are clean', () => {
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
])('a status is seen in %j', (source) => {
  expect(faultsOf(source)).toEqual(['packages/gateway/src/a.ts:1: status 404'])
})

test.each(Object.values(outcomes).map(({ status }) => status))('%d is a status', (status) => {
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

test('a media type in the text of a page is seen', () => {
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

test('tests and measurements may spell what they expect', () => {
  const source = "expect(404, 'application/vnd.agentic.error+json', 'x-tenant-id')"
  for (const path of [
    'packages/gateway/src/a.test.ts',
    'packages/gateway/test/a.ts',
    'tests/a.ts',
    'bench/a.ts',
  ]) {
    expect(faultsOf(source, path)).toEqual([])
  }
})

test('tools and examples are held to it as well', () => {
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
