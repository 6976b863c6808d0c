import { createHmac } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, type Running, runAgentic, spawnAgentic } from './harness/run-agentic.ts'

interface Started extends Running {
  readonly file: string
  readonly port: unknown
  send(): Promise<Response>
}

async function start(target: string, args: readonly string[] = []): Promise<Started> {
  const cwd = folderWith({ 'gateway.yaml': configuration({ target }) })
  const running = spawnAgentic(['start', '-c', 'gateway.yaml', ...args], { cwd })
  const { port } = await running.logged('the gateway is listening')
  const send = () => fetch(`http://127.0.0.1:${port}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
  return { ...running, file: join(cwd, 'gateway.yaml'), port, send }
}

async function startNamed(name: string): Promise<string> {
  const { url } = await startServer((_request, response) => answer(response, name))
  return url
}

function answer(response: ServerResponse, name: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ from: name }))
}

async function stop(gateway: Running): Promise<void> {
  gateway.child.kill('SIGTERM')
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null })
}

test('SIGHUP reloads the file; a request in flight finishes where it began', async () => {
  const { promise: reached, resolve } = Promise.withResolvers<ServerResponse>()
  const { url: slow } = await startServer((_request, response) => resolve(response))
  const gateway = await start(slow)
  const inFlight = gateway.send()
  const waiting = await reached
  writeFileSync(gateway.file, configuration({ target: await startNamed('new') }))
  gateway.child.kill('SIGHUP')
  expect(await gateway.logged('the configuration was reloaded')).toMatchObject({
    level: 'info',
    file: 'gateway.yaml',
    routes: 1,
  })
  expect(await (await gateway.send()).json()).toEqual({ from: 'new' })
  answer(waiting, 'old')
  expect(await (await inFlight).json()).toEqual({ from: 'old' })
  await stop(gateway)
  expect(gateway.audit).toHaveLength(2)
})

test('SIGHUP with a file that is not valid changes nothing and says why', async () => {
  const gateway = await start(await startNamed('old'))
  writeFileSync(gateway.file, 'gateway: { prt: 1 }\n')
  gateway.child.kill('SIGHUP')
  expect(await gateway.logged('the reload was refused')).toMatchObject({
    level: 'error',
    faults: expect.arrayContaining([
      'gateway.yaml:1:12: gateway.prt: unknown key "prt", did you mean "port"?',
    ]),
  })
  expect(await (await gateway.send()).json()).toEqual({ from: 'old' })
  const readiness = await fetch(`http://127.0.0.1:${gateway.port}/readyz`)
  expect({ status: readiness.status, body: await readiness.json() }).toEqual({
    status: 200,
    body: { status: 'ready', degraded: ['configuration: the last reload was refused'] },
  })
  await stop(gateway)
})

test('with --watch a changed file is reloaded by itself, however it is written', async () => {
  const gateway = await start(await startNamed('old'), ['--watch'])
  writeFileSync(gateway.file, 'routes: [')
  await gateway.logged('the reload was refused')
  const next = `${gateway.file}.next`
  writeFileSync(next, configuration({ target: await startNamed('new') }))
  renameSync(next, gateway.file)
  await gateway.logged('the configuration was reloaded')
  expect(await (await gateway.send()).json()).toEqual({ from: 'new' })
  await stop(gateway)
})

const secret = 'a shared secret of the tests, long enough'

/** A token of the operator for a minute (RFC 7515, HS256). */
function adminToken(): string {
  const claims = { iss: 'https://id.test', sub: 'operator', roles: ['gateway:admin'] }
  const parts = [{ alg: 'HS256' }, { ...claims, exp: Math.floor(Date.now() / 1000) + 60 }]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

test('"agentic reload" asks the admin listener with a token, and tells what came of it', async () => {
  const changes = {
    gateway: { admin: { port: 0, role: 'gateway:admin' } },
    plugins: {
      'token-validator': {
        issuers: [{ issuer: 'https://id.test', algorithms: ['HS256'], hs256_secret: secret }],
      },
    },
  }
  const cwd = folderWith({ 'gateway.yaml': configuration(changes) })
  const gateway = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const { port } = await gateway.logged('the console is listening')
  const reload = (env: Record<string, string>) =>
    runAgentic(['reload', `http://127.0.0.1:${port}`], { cwd, env })
  const AGENTIC_TOKEN = adminToken()
  expect(await reload({})).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'the gateway did not reload: A token is needed here.\n',
  })
  expect(await reload({ AGENTIC_TOKEN })).toMatchObject({
    code: 0,
    stdout: 'the configuration was reloaded\n',
    stderr: '',
  })
  writeFileSync(join(cwd, 'gateway.yaml'), 'routes: [')
  const refused = await reload({ AGENTIC_TOKEN })
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(
    /^gateway\.yaml:1:\d+: .*\nthe gateway refused the file and keeps the old one\n$/s,
  )
  await stop(gateway)
})
