import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createService, defineOperation, success } from '@agentic-rest/service'
import { expect, onTestFinished, test } from 'vitest'
import { operations } from '../../packages/cli/template/src/operations.ts'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import {
  agentic,
  projectFolder,
  readGateway,
  startProjectService,
  store,
  withoutRoutes,
} from './live-project.ts'

/** The ids and messages of findings. */
function findings(stderr: string): string[] {
  return [...stderr.matchAll(/^gateway\.yaml:\d+:\d+: (\w+: .*\])$/gm)].map(([, finding = '']) => finding)
}

test('routes add writes all routes of a service, a gateway accepts them, and nothing is left to find', async () => {
  const port = await startProjectService()
  const folder = projectFolder(withoutRoutes)
  const add = `routes add gateway.yaml --from http://127.0.0.1:${port}`
  const before = readGateway(folder)

  const dry = await agentic(`${add} --dry-run`, folder, port)
  expect([dry.code, dry.stderr]).toEqual([0, '10 routes would be added; gateway.yaml is unchanged\n'])
  expect(readGateway(folder)).toBe(before)

  const added = await agentic(add, folder, port)
  expect(added).toEqual({ code: 0, stdout: dry.stdout, stderr: '10 routes added to gateway.yaml\n' })
  const written = readGateway(folder)
  expect(written.startsWith(before.slice(0, before.indexOf('routes:')))).toBe(true)
  expect(added.stdout).toContain(`+  - id: operation-status
+    method: GET
+    path: /operations/{operationId}/status
+    target: http://127.0.0.1:${port}
+    executionTimeoutSeconds: 10
+    conformance: enforce
`)

  const again = await agentic(add, folder, port)
  expect(again.stdout).toBe(`gateway.yaml has all routes of http://127.0.0.1:${port}: nothing to add\n`)
  expect(readGateway(folder)).toBe(written)
  expect(await agentic('check gateway.yaml --live --strict', folder, port)).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
    stderr: '',
  })
})

test('routes add keeps comments, order and variables, and adds only missing routes', async () => {
  const port = await startProjectService()
  const folder = projectFolder((text) => text.slice(0, text.indexOf('\n  # Approvals.')))
  const before = readGateway(folder)
  const { code, stdout } = await agentic(
    `routes add gateway.yaml --from http://127.0.0.1:${port}/openapi.json`,
    folder,
    port,
  )
  expect([code, stdout.match(/^\+ .*id: .*/gm)]).toEqual([
    0,
    ['list-approvals', 'show-approval', 'approve', 'reject', 'withdraw'].map((id) => `+  - id: ${id}`),
  ])
  const written = readGateway(folder)
  expect(written.startsWith(before.trimEnd())).toBe(true)
  expect(written.match(/target: http:\/\/127\.0\.0\.1:\$\{SERVICE_PORT:-8081\}\n/g)).toHaveLength(10)
})

test('routes add leaves routes with another target alone, and takes a target with variables', async () => {
  const port = await startProjectService()
  const folder = projectFolder()
  const add = ['routes', 'add', 'gateway.yaml', '--from', `http://127.0.0.1:${port}`]
  const other = await runHere(add, { cwd: folder, env: { SERVICE_PORT: '9000' } })
  const notes = other.stderr.trimEnd().split('\n')
  expect([notes.length, notes[0], notes.at(-1)]).toEqual([
    11,
    'note: POST /questions has the target http://127.0.0.1:9000: it stays',
    'note: these operations of the new service have no route: mount it with a publicPath, see "Two services behind one gateway" in docs/troubleshooting.md',
  ])
  expect([other.code, other.stdout]).toEqual([0, expect.stringContaining('nothing to add')])
  const target = 'http://127.0.0.1:${SERVICE_PORT:-8081}'
  writeFileSync(join(folder, 'gateway.yaml'), withoutRoutes(readGateway(folder)))
  const written = await runHere([...add, '--target', target], { cwd: folder, env: {} })
  expect([written.code, written.stderr]).toEqual([0, '10 routes added to gateway.yaml\n'])
  const again = await runHere([...add, '--target', target], { cwd: folder, env: { SERVICE_PORT: '9000' } })
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect(readGateway(folder).split(`target: ${target}\n`)).toHaveLength(11)
})

test('routes add reads a document from a file, and needs a target for it', async () => {
  const folder = projectFolder(withoutRoutes)
  const service = createService({ operations, store, publicPath: '/shop' })
  onTestFinished(() => service.close())
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(service.openapi()))
  const add = 'routes add gateway.yaml --from openapi.json'
  expect(await agentic(add, folder, '1')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'agentic routes add: --target is missing: openapi.json names no server\n',
  })
  const { code, stdout } = await agentic(`${add} --target http://127.0.0.1:9000/ --json`, folder, '1')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ target: 'http://127.0.0.1:9000', written: true, notes: [] })
  expect(JSON.parse(stdout).added.map(({ path }: { path: string }) => path)).toContain('/shop/questions')
  const before = readGateway(folder)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...service.openapi(), servers: [] }))
  const wrong = await agentic(`${add} --target localhost`, folder, '1')
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^the routes cannot be added, the result would not be valid:\ngateway\.yaml:\d+:\d+: routes\[10\]\.target: /,
    ),
  ])
  expect(readGateway(folder)).toBe(before)
})

test('routes add says why there is no document', async () => {
  const folder = projectFolder()
  const nobody = await agentic('routes add gateway.yaml --from http://127.0.0.1:18', folder, '1')
  expect([nobody.code, nobody.stderr]).toEqual([
    1,
    'agentic routes add: http://127.0.0.1:18/openapi.json: ECONNREFUSED\n',
  ])
  const port = await startProjectService()
  const other = await agentic(`routes add gateway.yaml --from http://127.0.0.1:${port}/api`, folder, '1')
  expect([other.code, other.stderr]).toEqual([
    2,
    `agentic routes add: http://127.0.0.1:${port}/api/openapi.json: it answers 404\n`,
  ])
})

test('routes add says which line a file without a list of routes needs', async () => {
  const folder = projectFolder((text) => text.slice(0, text.indexOf('routes:\n')))
  const { code, stderr } = await agentic('routes add gateway.yaml --from http://127.0.0.1:18', folder, '1')
  expect([code, stderr.split('\n')]).toEqual([
    2,
    [
      expect.stringMatching(/^gateway\.yaml:\d+:\d+: routes: is required$/),
      'agentic routes add: the file needs a list that routes can be added to; add the line: routes: []',
      '',
    ],
  ])
})

test('check --live says that a file without routes has no target to ask', async () => {
  const { code, stderr } = await agentic('check gateway.yaml --live', projectFolder(withoutRoutes), '1')
  expect([code, findings(stderr)]).toEqual([
    0,
    [
      'warning: routes: there is no route and so no target to ask: "npx agentic routes add FILE --from URL" adds the routes of a service [no-target]',
    ],
  ])
})

test('check --live warns of keys that the gateway and the service keep', async () => {
  const port = await startProjectService()
  const keep = (id: string, onUnknown: string) => (text: string) =>
    text.replace(`id: ${id}\n`, `id: ${id}\n    idempotency: { mode: required, onUnknown: ${onUnknown} }\n`)
  const folder = projectFolder((text) =>
    keep('create-report', 'resend')(keep('create-refund', 'refuse')(text)),
  )
  const { code, stderr } = await agentic('check gateway.yaml --live', folder, port)
  const twice = findings(stderr).filter((finding) => finding.includes('[keys-kept-twice]'))
  expect([code, twice]).toEqual([
    0,
    [
      `warning: routes[1].idempotency: the service at http://127.0.0.1:${port} honours Idempotency-Key itself: leave idempotency off, or set onUnknown to resend [keys-kept-twice]`,
    ],
  ])
})

test('routes add writes mode: sse for a stream, and check --live compares the two', async () => {
  const talk = defineOperation({
    id: 'talk',
    method: 'POST',
    path: '/talk',
    async *run() {
      yield 1
      return success({})
    },
  })
  const port = await startProjectService({ operations: [...operations, talk] })
  const folder = projectFolder()
  const added = await agentic(`routes add gateway.yaml --from http://127.0.0.1:${port}`, folder, port)
  expect(added.stdout).toContain('+    path: /talk\n')
  expect(added.stdout).toContain('+    mode: sse\n')
  expect((await agentic('check gateway.yaml --live --strict', folder, port)).code).toBe(0)

  const file = join(folder, 'gateway.yaml')
  const text = readGateway(folder)
  writeFileSync(file, text.replace(/ {4}mode: sse\n(?![\s\S]*mode: sse)/, ''))
  const without = await agentic('check gateway.yaml --live', folder, port)
  const service = `of the service at http://127.0.0.1:${port}`
  expect(findings(without.stderr)).toEqual([
    `warning: routes[10]: POST /talk ${service} can stream: the route needs mode: sse [stream-mode]`,
  ])
  writeFileSync(file, text.replace('id: create-report\n', 'id: create-report\n    mode: sse\n'))
  const useless = await agentic('check gateway.yaml --live', folder, port)
  expect(findings(useless.stderr)).toEqual([
    `warning: routes[2].mode: POST /reports ${service} does not stream: mode: sse has no use [stream-mode]`,
  ])
})

test('check --live names the route that leads to another service', async () => {
  const [first, second] = [await startProjectService(), await startProjectService()]
  const folder = projectFolder((text) =>
    text.replaceAll(
      /(path: \/(?:questions|approvals\/\{approvalId\})\n {4}target: ).*/g,
      `$1http://127.0.0.1:${second}`,
    ),
  )
  const { code, stderr } = await agentic('check gateway.yaml --live', folder, first)
  const cure =
    'mount one of the services with a publicPath, see "Two services behind one gateway" in docs/troubleshooting.md'
  expect(code).toBe(0)
  expect(findings(stderr)).toEqual(
    expect.arrayContaining([
      `warning: routes: no route reaches POST /questions of the service at http://127.0.0.1:${first}: its route answer-question has the target http://127.0.0.1:${second}: ${cure} [operation-unrouted]`,
      `warning: routes[1]: a 412 of this route leads to GET /approvals/{approvalId}, but its route show-approval has the target http://127.0.0.1:${second}: ${cure} [follow-up-unrouted]`,
    ]),
  )
  expect(stderr).not.toContain('has no route')
})

test('check --live does not count people whose tenant is not allowed', async () => {
  const port = await startProjectService()
  const folder = projectFolder()
  const people = readFileSync(join(folder, 'people.yaml'), 'utf8')
  writeFileSync(join(folder, 'people.yaml'), people.replace('dave, tenant: acme', 'dave, tenant: initech'))
  const { code, stderr } = await agentic('check gateway.yaml --live', folder, port)
  expect([code, findings(stderr)]).toEqual([
    0,
    [
      'warning: plugins.tenant-injector.allowed: dave in people.yaml is of the tenant "initech", which is not allowed here [tenant-not-allowed]',
      'warning: routes[1]: nobody in people.yaml with an allowed tenant has the role "manager" [role-unheld]',
    ],
  ])
})

test('check --live waits for a service that is slow to start', async () => {
  const service = createService({ operations, store })
  onTestFinished(() => service.close())
  const server = createServer((_, response) => {
    // Wait: the service is slow to start on purpose.
    setTimeout(() => response.end(JSON.stringify(service.openapi())), 6_000)
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const port = String((server.address() as { port: number }).port)
  expect(await agentic('check gateway.yaml --live --strict', projectFolder(), port)).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
    stderr: `the service at http://127.0.0.1:${port} does not answer yet: waiting for it\n`,
  })
})

test('check --live finds nothing wrong in a new project', async () => {
  const port = await startProjectService()
  expect(await agentic('check gateway.yaml --live --strict', projectFolder(), port)).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
    stderr: '',
  })
})

test('check --live reports what a caller or an approver would run into', async () => {
  const port = await startProjectService()
  const folder = projectFolder((text) =>
    text
      .replace('path: /questions', 'path: /question')
      .replace('path: /operations/{operationId}/status', 'path: /operation/{operationId}/status')
      .replace('roles: [support]', 'roles: [support, clerk]')
      .replace(/ {2}- id: approve\n(?: {4}.*\n)+/, ''),
  )
  const people = readFileSync(join(folder, 'people.yaml'), 'utf8')
  writeFileSync(join(folder, 'people.yaml'), people.replace('manager', 'boss'))
  const address = `http://127.0.0.1:${port}`
  const add = `"npx agentic routes add gateway.yaml --from ${address}" adds it`
  const expected = [
    `routes: no route reaches POST /questions of the service at ${address}: ${add} [operation-unrouted]`,
    `routes[0].path: the service at ${address} has no POST /question [route-unknown]`,
    'routes[1]: a 412 of this route leads to POST /approvals/{approvalId}/approve, which has no route: callers get 404 [follow-up-unrouted]',
    'routes[1]: nobody in people.yaml has the role "clerk" [role-unheld]',
    'routes[1]: nobody in people.yaml has the role "manager" [role-unheld]',
    'routes[2]: a 202 of this route leads to GET /operations/{operationId}/status, which has no route: callers get 404 [follow-up-unrouted]',
    `routes[3].path: the service at ${address} has no GET /operation/{operationId}/status [route-unknown]`,
  ]
  const warned = await agentic('check gateway.yaml --live', folder, port)
  expect(findings(warned.stderr)).toEqual(expected.map((finding) => `warning: ${finding}`))
  expect([warned.code, warned.stdout]).toEqual([0, 'gateway.yaml is valid\n'])
  const refused = await agentic('check gateway.yaml --live --strict', folder, port)
  expect([refused.code, findings(refused.stderr)]).toEqual([
    2,
    expected.map((finding) => `error: ${finding}`),
  ])
  expect((await agentic('check gateway.yaml --strict', folder, port)).code).toBe(0)
})

test('check --live ends with 1 when a target does not answer, and still reports the rest', async () => {
  const folder = projectFolder((text) => text.replace('[support]', '[clerk]'))
  const { code, stdout, stderr } = await agentic('check gateway.yaml --live', folder, '18')
  expect([code, stdout, findings(stderr)]).toEqual([
    1,
    '',
    [
      'error: routes[0].target: the service at http://127.0.0.1:18 does not answer (ECONNREFUSED) [target-unreachable]',
      'warning: routes[1]: nobody in people.yaml has the role "clerk" [role-unheld]',
    ],
  ])
  const json = await agentic('check gateway.yaml --live --json', folder, '18')
  const lines = readFileSync(join(folder, 'gateway.yaml'), 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes('target:')) + 1
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    1,
    { valid: true, passed: false, warnings: [{ id: 'role-unheld' }], unreachable: [{ line }] },
  ])
})

test('check --live says when a service has no document, and when people.yaml is not valid', async () => {
  const server = createServer((_, response) => void response.end('{"swagger": "2.0"}'))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const port = String((server.address() as { port: number }).port)
  const folder = projectFolder()
  writeFileSync(join(folder, 'people.yaml'), 'people: none\n')
  const { code, stderr } = await agentic('check gateway.yaml --live', folder, port)
  expect([code, findings(stderr)]).toEqual([
    0,
    [
      'warning: people.yaml:1: people: expected a list [people-invalid]',
      `warning: routes[0].target: the service at http://127.0.0.1:${port} has no OpenAPI document at /openapi.json: this is not an OpenAPI 3 document with paths [document-missing]`,
    ],
  ])
})

test('an upstream is checked at each of its targets, and routes are listed with its name', async () => {
  const [port, other] = [await startProjectService(), await startProjectService()]
  const toUpstream = (second: string) => (text: string) =>
    text
      .replaceAll(/target: http:\S+/g, 'upstream: service')
      .replace(
        'routes:\n',
        `upstreams:\n  service:\n    targets: ["http://127.0.0.1:${port}", "http://127.0.0.1:${second}"]\nroutes:\n`,
      )
  const good = projectFolder(toUpstream(other))
  expect(await agentic('check gateway.yaml --live --strict', good, port)).toEqual({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
    stderr: '',
  })
  expect((await agentic('routes gateway.yaml', good, port)).stdout).toMatch(
    /POST +\/questions +upstream service /,
  )
  const bad = projectFolder(toUpstream('1'))
  const { stderr } = await agentic('check gateway.yaml --live', bad, port)
  expect(findings(stderr)).toEqual([
    expect.stringMatching(/routes\[0\]\.upstream: the service at http:\/\/127\.0\.0\.1:1 does not answer/),
  ])
  const added = await agentic(`routes add gateway.yaml --from http://127.0.0.1:${port}`, good, port)
  expect(added.stderr).toContain('note: POST /questions has the upstream service: it stays')
})

test('check --live judges the tools of a file by the documents of the services', async () => {
  const description = 'Takes an order.'
  const key = { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } }
  const foreign = { in: 'query', name: 'size', schema: { $ref: 'https://evil.example.com/schema.json' } }
  const paths = {
    '/good': { post: { summary: 'Good.', parameters: [key] } },
    '/silent': { get: {} },
    '/repeated': { post: { description } },
    '/foreign': { get: { description, parameters: [foreign] } },
  }
  const server = createServer((_, response) => void response.end(JSON.stringify({ openapi: '3.1.0', paths })))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const route = (method: string, path: string, mcp: object = {}) => ({
    id: path.slice(1),
    method,
    path,
    target: `http://127.0.0.1:${port}`,
    mcp,
  })
  const folder = projectFolder(() =>
    JSON.stringify({
      plugins: { 'token-validator': { issuers: [{ issuer: 'https://id.test', audience: ['agentic'] }] } },
      mcp: {},
      routes: [
        route('POST', '/good'),
        route('GET', '/silent'),
        route('POST', '/repeated'),
        route('GET', '/foreign'),
        route('GET', '/unknown'),
      ],
    }),
  )
  const { code, stderr } = await agentic('check gateway.yaml --live', folder, '')
  const found = findings(stderr).filter((finding) => /tool|route-unknown/.test(finding))
  expect([code, found]).toEqual([
    0,
    [
      'warning: routes[1].mcp: has no description, and the operation has neither a summary nor one, a model must guess the use of the tool [tool-without-description]',
      'warning: routes[2].mcp: is a POST whose service names no Idempotency-Key, a client that calls again after a lost answer does the work twice [tool-without-idempotency]',
      'warning: routes[3].mcp: is no tool (foreign_reference): a reference leads out of the document [tool-unusable]',
      `warning: routes[4].path: the service at http://127.0.0.1:${port} has no GET /unknown [route-unknown]`,
    ],
  ])
})
