import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { requestToken } from '@agentic-rest/stack'
import { eventually } from '@agentic-rest/testing/eventually'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, type Running, runAgentic, spawnAgentic } from './harness/run-agentic.ts'

function gatewayFile(target: string): string {
  return JSON.stringify({
    gateway: { port: 0 },
    plugins: {
      // A production issuer without tokens here.
      'token-validator': {
        issuers: [{ issuer: 'https://id.example.test', jwks_file: 'keys.json', audience: ['agentic'] }],
      },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [{ id: 'read-item', method: 'GET', path: '/items/{id}', target, forwardAuthorization: false }],
  })
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] })

/** The output up to a text. */
async function printed({ child }: Running, text: string): Promise<string> {
  let all = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    all += chunk
    if (all.includes(text)) return all
  }
  throw new Error(`it ended without ${text}:\n${all}`)
}

async function startOwn(target: string, args: readonly string[] = [], files: Record<string, string> = {}) {
  const cwd = folderWith({ 'gateway.yaml': gatewayFile(target), 'keys.json': keys, ...files })
  const portBase = await freePortBase()
  const running = spawnAgentic(['dev', '--port-base', String(portBase), ...args], { cwd })
  const greeting = await printed(running, 'prints another one')
  return { ...running, cwd, portBase, greeting, url: `http://127.0.0.1:${portBase}` }
}

const itemService = () =>
  startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"item":1}')
  })

test('where a gateway.yaml lies, that gateway runs and accepts tokens of the identity provider too', async () => {
  const { url: target } = await itemService()
  const { portBase, url, greeting, cwd, child, ended } = await startOwn(target)
  expect(greeting.match(/^ {2}[\w-]+ +http:\S+/gm)).toEqual([
    `  gateway   http://127.0.0.1:${portBase}`,
    `  identity  http://127.0.0.1:${portBase + 5}`,
  ])
  const token = await requestToken({ portBase, sub: 'alice' })
  const response = await fetch(`${url}/items/1`, { headers: { authorization: `Bearer ${token}` } })
  expect([response.status, await response.json()]).toEqual([200, { item: 1 }])
  expect((await fetch(`${url}/items/1`)).status).toBe(401)
  const consoleUrl = `http://127.0.0.1:${portBase + 10}`
  expect(greeting).toContain(`Watch requests and try the API in the console:\n  ${consoleUrl}\n`)
  const page = await fetch(consoleUrl)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await (await fetch(`${consoleUrl}/api/gateway`)).json()).toMatchObject({
    gatewayUrl: url,
    development: true,
    people: [
      { sub: 'alice', tenant: 'acme', roles: [] },
      { sub: 'bob', tenant: 'acme', roles: [] },
      { sub: 'dave', tenant: 'acme', roles: [] },
    ],
  })
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
  const records = readFileSync(join(cwd, '.agentic/audit/gateway.jsonl'), 'utf8').trimEnd().split('\n')
  expect(records.map((line) => JSON.parse(line))).toMatchObject([
    { operation: 'read-item', actor_id: 'alice', tenant_id: 'acme', outcome: 'success' },
  ])
})

test('a refused and a replaced answer are on the terminal with code, cause and request id', async () => {
  // Nobody listens on the port of the service.
  const running = await startOwn('http://127.0.0.1:9', ['--memory'])
  const { url, portBase, child, ended } = running
  await fetch(`${url}/items/1`, { headers: { 'x-request-id': 'req-1' } })
  await printed(
    running,
    'read-item 1              nobody           refused 401 MISSING_TOKEN (request req-1)\n',
  )
  const authorization = `Bearer ${await requestToken({ portBase, sub: 'alice' })}`
  await fetch(`${url}/items/1`, { headers: { authorization, 'x-request-id': 'req-2' } })
  await printed(
    running,
    'alice@acme       failed_dependency 424 UPSTREAM_UNAVAILABLE, ECONNREFUSED (request req-2)\n',
  )
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('--memory keeps nothing', async () => {
  const { url: target } = await itemService()
  const { cwd, child, ended } = await startOwn(target, ['--memory'])
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
  expect(existsSync(join(cwd, '.agentic'))).toBe(false)
})

test('a changed gateway.yaml is in use without a restart, still with tokens of the identity provider', async () => {
  const { url: target } = await itemService()
  const { portBase, url, cwd, child, ended } = await startOwn(target, ['--memory'])
  const authorization = `Bearer ${await requestToken({ portBase, sub: 'alice' })}`
  const statusOf = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization } })).status
  expect([await statusOf('/items/1'), await statusOf('/things/1')]).toEqual([200, 404])
  writeFileSync(join(cwd, 'gateway.yaml'), gatewayFile(target).replace('/items/', '/things/'))
  await expect.poll(() => statusOf('/things/1')).toBe(200)
  expect(await statusOf('/items/1')).toBe(404)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('people of people.yaml take the place of the demo users, in tokens and in the console', async () => {
  const { url: target } = await itemService()
  const people =
    'people:\n  - { name: mia, tenant: acme, roles: [support] }\n  - { name: max, tenant: acme }\n'
  const { portBase, url, greeting, child, ended } = await startOwn(target, ['--memory'], {
    'people.yaml': people,
  })
  expect(greeting).toContain('A token of mia of acme, roles support; ')
  const { stdout } = await runAgentic(['token', '--port-base', String(portBase)])
  const claims = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ sub: 'mia', tenant_id: 'acme', roles: ['support'] })
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  expect((await fetch(`${url}/items/1`, { headers })).status).toBe(200)
  expect(await (await fetch(`http://127.0.0.1:${portBase + 10}/api/gateway`)).json()).toMatchObject({
    people: [
      { sub: 'mia', tenant: 'acme', roles: ['support'] },
      { sub: 'max', tenant: 'acme', roles: [] },
    ],
  })
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('a people.yaml that is not valid ends it with 2 and every fault', async () => {
  const cwd = folderWith({
    'gateway.yaml': gatewayFile('http://127.0.0.1:9'),
    'people.yaml': 'people:\n  - nam: mia\n',
  })
  const { code, stdout, stderr } = await runAgentic(['dev', '--memory'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n').map((line) => line.replace(/^.*people\.yaml/, 'people.yaml'))).toEqual([
    'people.yaml:2:5: people[0].name: is required',
    'people.yaml:2:5: people[0].tenant: is required',
    'people.yaml:2:5: people[0].nam: unknown key "nam", did you mean "name"?',
    '',
  ])
})

const itemProgram = (item: number) => `
import { createServer } from 'node:http'
const answer = (request, response) => response.setHeader('content-type', 'application/json').end('{"item":${item}}')
createServer(answer).listen(process.env.SERVICE_PORT, '127.0.0.1')
`

test('--service runs a program beside the gateway, and again after a change of it', async () => {
  const target = 'http://127.0.0.1:${SERVICE_PORT}'
  const { portBase, url, greeting, cwd, child, ended } = await startOwn(
    target,
    ['--memory', '--service', 'main.mjs'],
    { 'main.mjs': itemProgram(1) },
  )
  expect(greeting.match(/^ {2}[\w-]+ +http:\S+/gm)).toEqual([
    `  gateway   http://127.0.0.1:${portBase}`,
    `  service   http://127.0.0.1:${portBase + 1}`,
    `  identity  http://127.0.0.1:${portBase + 5}`,
  ])
  const authorization = `Bearer ${await requestToken({ portBase, sub: 'alice' })}`
  const read = async () => (await fetch(`${url}/items/1`, { headers: { authorization } })).text()
  expect(await read()).toBe('{"item":1}')
  writeFileSync(join(cwd, 'main.mjs'), itemProgram(2))
  await expect.poll(read).toBe('{"item":2}')
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/ service +main\.mjs has changed; it is started again\n/)
})

test.each([
  [{}, '--service needs a gateway in front of it: add a gateway.yaml here, or name one with --config\n'],
  [{ 'gateway.yaml': gatewayFile('http://127.0.0.1:9') }, 'main.ts: there is no such file\n'],
])('--service is refused with 2 when it cannot run (%#)', async (files, stderr) => {
  expect(await runAgentic(['dev', '--service', 'main.ts'], { cwd: folderWith(files) })).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr,
  })
})

test('a second SIGINT ends it at once with 130, and its parts with it', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { url: target } = await startServer(() => ask())
  const { portBase, url, child, ended } = await startOwn(target, ['--memory'])
  const token = await requestToken({ portBase, sub: 'alice' })
  const request = fetch(`${url}/items/1`, { headers: { authorization: `Bearer ${token}` } })
  await asked
  child.kill('SIGINT')
  // Two signals at once could count as one.
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(false)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(stdout).toMatch(
    / stack +stops when requests in flight have ended; Ctrl-C once more ends it at once\n/,
  )
  await expect(request).rejects.toThrow('fetch failed')
})

test('a signal during the start ends it with 0', async () => {
  const cwd = folderWith({ 'gateway.yaml': gatewayFile('http://127.0.0.1:9'), 'keys.json': keys })
  const { child, ended } = spawnAgentic(['dev', '--port-base', String(await freePortBase())], { cwd })
  await eventually(
    () => existsSync(join(cwd, '.agentic/audit')),
    (isThere) => isThere,
  )
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('a port that is taken is named, with a way out, and nothing is started', async () => {
  const portBase = await freePortBase()
  const holder = createServer().listen(portBase + 4, '127.0.0.1')
  await once(holder, 'listening')
  onTestFinished(() => void holder.close())
  const { code, stdout, stderr } = await runAgentic(['dev', '--memory', '--port-base', String(portBase)])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    new RegExp(
      `^port ${portBase + 4}, which llm needs, is taken\nChoose other ports, for example with (npx )?agentic dev --port-base \\d+\\.\n$`,
    ),
  )
  await expect(fetch(`http://127.0.0.1:${portBase + 5}/healthz`)).rejects.toThrow('fetch failed')
})

test('the way out of a taken port keeps the service, by npm script or by option', async () => {
  const portBase = await freePortBase()
  const holder = createServer().listen(portBase + 1, '127.0.0.1')
  await once(holder, 'listening')
  onTestFinished(() => void holder.close())
  const text = gatewayFile(`http://127.0.0.1:${portBase + 1}`)
  const cwd = folderWith({ 'own.yaml': text, 'keys.json': keys, 'main.ts': '' })
  const args = ['dev', '--port-base', String(portBase), '-c', 'own.yaml', '--service', 'main.ts']
  const wayOut = async (env: Record<string, string>) =>
    (await runAgentic(args, { cwd, env })).stderr.replace(/\d+\.\n$/, 'N').split('for example with ')[1]
  expect(await wayOut({})).toBe('agentic dev -c own.yaml --service main.ts --port-base N')
  expect(await wayOut({ npm_lifecycle_event: 'start', npm_package_name: 'my-agent' })).toBe(
    'npm start -- --port-base N',
  )
})

test('a folder that another stack uses is named, with a way out', async () => {
  const cwd = folderWith({})
  mkdirSync(join(cwd, '.agentic'))
  const holder = new DatabaseSync(join(cwd, '.agentic/lock'))
  holder.exec('BEGIN EXCLUSIVE')
  onTestFinished(() => holder.close())
  const { code, stdout, stderr } = await runAgentic(['dev', '--port-base', String(await freePortBase())], {
    cwd,
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^\.agentic is in use by another stack\nStart it with (npx )?agentic dev --data OTHER or .* dev --memory\.\n$/,
  )
})

test('a file that is not valid ends it with 2 and every fault', async () => {
  const cwd = folderWith({
    'mine.yaml':
      'gateway: { prot: 1 }\nplugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }\n',
  })
  const { code, stdout, stderr } = await runAgentic(['dev', '-c', 'mine.yaml'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n').map((line) => line.replace(/^.*mine\.yaml/, 'mine.yaml'))).toEqual([
    'mine.yaml:1:1: routes: is required',
    'mine.yaml:1:12: gateway.prot: unknown key "prot", did you mean "port"?',
    '',
  ])
})

test('a part that does not start ends it with 1 and what the part said', async () => {
  const cwd = folderWith({ 'gateway.yaml': gatewayFile('http://127.0.0.1:9') })
  const portBase = String(await freePortBase())
  const { code, stderr } = await runAgentic(['dev', '--memory', '--port-base', portBase], { cwd })
  expect(code).toBe(1)
  expect(stderr).toBe(
    'gateway did not start: it ended with 1\n  issuer https://id.example.test: jwks_file cannot be read\n',
  )
})

test.each(['0', '65436', 'x', '80.5'])('--port-base %s is refused', async (value) => {
  const fault = `--port-base is a number from 1 to 65435, not "${value}"\n`
  for (const command of ['dev', 'token']) {
    expect(await runAgentic([command, '--port-base', value])).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: fault,
    })
  }
})
