import { createHmac } from 'node:crypto'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, runAgentic, spawnAgentic } from './harness/run-agentic.ts'

const secret = 'a shared secret of the tests, long enough'

/** A token for a minute (RFC 7515, HS256). */
function tokenOf(claims: object): string {
  const exp = Math.floor(Date.now() / 1000) + 60
  const parts = [{ alg: 'HS256' }, { iss: 'https://id.test', exp, ...claims }]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

test('"agentic usage" shows what the requests of a tenant used of its limit', async () => {
  const { url: target } = await startServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  )
  const changes = {
    target,
    gateway: {
      admin: { port: 0, roles: { viewer: { role: 'gateway:viewer' }, operator: { role: 'gateway:admin' } } },
      rate_limits: [{ name: 'per-tenant', key: ['tenant'], requests: 2, per_seconds: 3600, burst: 2 }],
    },
    plugins: {
      'token-validator': {
        issuers: [{ issuer: 'https://id.test', algorithms: ['HS256'], hs256_secret: secret }],
      },
    },
  }
  const cwd = folderWith({ 'gateway.yaml': configuration(changes) })
  const gateway = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const { port: adminPort } = await gateway.logged('the console is listening')
  const { port } = await gateway.logged('the gateway is listening')
  const authorization = `Bearer ${tokenOf({ sub: 'alice', tenant_id: 'acme' })}`
  const send = () => fetch(`http://127.0.0.1:${port}/items/1`, { headers: { authorization } })
  const statuses = [(await send()).status, (await send()).status, (await send()).status]
  expect(statuses).toEqual([200, 200, 429])
  const usage = (args: readonly string[], env: Record<string, string> = {}) =>
    runAgentic(['usage', '--admin', `http://127.0.0.1:${adminPort}`, ...args], { cwd, env })
  expect(await usage([])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'the gateway did not show usage: A token is needed here.\n',
  })
  const AGENTIC_TOKEN = tokenOf({ sub: 'viewer', roles: ['gateway:viewer'] })
  const shown = await usage([], { AGENTIC_TOKEN })
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  const words = shown.stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))
  expect(words).toContainEqual(['acme', 'today', '3', '1', '0', '0', '0.00'])
  expect(words).toContainEqual(['month', '3', '1', '0', '0', '0.00'])
  expect(words).toContainEqual(['acme', 'per-tenant', '0', '2', expect.any(String), '2 requests per 3,600 s'])
  const json = await usage(['--tenant', 'acme', '--json'], { AGENTIC_TOKEN })
  expect(JSON.parse(json.stdout)).toMatchObject({
    policies: [{ name: 'per-tenant', unit: 'requests', limit: 2 }],
    tenants: [{ tenant: 'acme', today: { requests: 3, refused: 1 }, limits: [{ left: 0, most: 2 }] }],
  })
  gateway.child.kill('SIGTERM')
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null })
})
