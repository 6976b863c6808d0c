import { sendRequest } from '@agentic-rest/testing/send-request'
import { startServer } from '@agentic-rest/testing/start-server'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startSupervisor } from './start-supervisor.ts'

const secret = 'a shared secret of the tests, long enough'
const issuer = 'https://id.example.test'

test('an exchange is found whichever worker had it', async () => {
  const connections = new Set<number | undefined>()
  const upstream = await startServer(({ socket }, response) => {
    connections.add(socket.remotePort)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const { supervisor, url } = await startSupervisor({
    gateway: { workers: 2, admin: { port: 0, role: 'gateway:admin' } },
    plugins: {
      'token-validator': {
        issuers: [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }],
      },
    },
    routes: [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target: upstream.url }],
  })
  const token = await new SignJWT({ roles: ['gateway:admin'], tenant_id: 'acme' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject('alice')
    .setExpirationTime('5m')
    .sign(Buffer.from(secret))
  const authorization = `Bearer ${token}`
  const requestIds = Array.from({ length: 8 }, (_, index) => `req-${index}`)
  // Every request has its own connection, and connections go to the workers in turn.
  for (const id of requestIds) {
    const headers = { 'x-request-id': id, authorization }
    expect((await sendRequest(`${url}/items/1`, { headers })).status).toBe(200)
  }
  for (const id of requestIds) {
    const refused = { 'x-request-id': `refused-${id}` }
    expect((await sendRequest(`${url}/items/1`, { headers: refused })).status).toBe(401)
  }
  // A worker keeps its connection to the service: two of them, so both workers had requests.
  expect(connections.size).toBe(2)
  const admin = `http://127.0.0.1:${supervisor.adminPort}/api/exchanges`
  const read = async (id: string) => {
    const { status, body } = await sendRequest(`${admin}/${id}`, { headers: { authorization } })
    return { status, body: JSON.parse(body.toString()) }
  }
  for (const id of requestIds) {
    const served = { requestId: id, route: 'read-item', status: 200, tenant: 'acme', actor: 'alice' }
    expect(await read(id)).toMatchObject({ status: 200, body: served })
    const refused = { requestId: `refused-${id}`, status: 401, code: 'MISSING_TOKEN' }
    expect(await read(`refused-${id}`)).toMatchObject({ status: 200, body: refused })
  }
  expect(await read('unknown')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
})
