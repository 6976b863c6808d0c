import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { expect, onTestFinished, test } from 'vitest'
import { parseResponse, sendRaw } from '../harness/raw-client.ts'
import { development, startAdmin } from './harness/start-admin.ts'

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('without gateway.admin there is no second listener', async () => {
  const { gateway } = await startGateway({ routes: [] })
  expect(gateway.adminPort).toBeUndefined()
})

test('a taken port is reported with its key, and the gateway takes no requests', async () => {
  const port = await takenPort()
  await expect(startAdmin({ settings: { port } })).rejects.toThrow(
    `port ${port} on 127.0.0.1 is taken: choose another with gateway.admin.port`,
  )
})

test('a gateway with a taken port closes its admin listener again', async () => {
  const [port, adminPort] = [await takenPort(), 0]
  await expect(startAdmin({ config: { gateway: { port, admin: { port: adminPort } } } })).rejects.toThrow(
    'choose another with gateway.port',
  )
})

test('development is refused on an address that other machines reach', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'console.example'])
    await expect(startAdmin({ settings: { host }, admin: { development } })).rejects.toThrow(
      'gateway.admin.host must be a loopback address in development',
    )
})

test('a gateway on all addresses is shown under the host name of the console', async () => {
  const { adminUrl, url } = await startAdmin({ config: { gateway: { host: '0.0.0.0', admin: { port: 0 } } } })
  const { port } = new URL(url)
  const told = async (base: string) =>
    ((await (await fetch(`${base}/api/gateway`)).json()) as { gatewayUrl: string }).gatewayUrl
  expect(await told(adminUrl)).toBe(`http://127.0.0.1:${port}`)
  expect(await told(adminUrl.replace('127.0.0.1', 'localhost'))).toBe(`http://localhost:${port}`)
})

test('invalid bytes and a too large head end only their connection', async () => {
  const { adminPort, adminUrl } = await startAdmin()
  expect(parseResponse(await sendRaw(adminPort, 'nonsense\r\n\r\n')).status).toBe(400)
  const large = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
  expect(parseResponse(await sendRaw(adminPort, large)).status).toBe(431)
  expect((await fetch(`${adminUrl}/api/gateway`)).status).toBe(200)
})
