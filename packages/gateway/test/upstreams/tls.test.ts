import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate, type TestCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../../src/index.ts'
import { startDnsServer } from './dns-server.ts'
import { startBalanced } from './start-targets.ts'

async function startTlsService({ cert, key }: Pick<TestCertificate, 'cert' | 'key'>) {
  const paths: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    paths.push(request.url ?? '')
    response.end('{}')
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { paths, port: (server.address() as AddressInfo).port }
}

it('ca_file of an upstream is for its targets and for their checks', async () => {
  const root = makeCertificate({ name: 'root', authority: true })
  const services = await Promise.all(
    ['a', 'b'].map((name) => startTlsService(makeCertificate({ name, issuer: root }))),
  )
  const { ca } = writeFiles({ ca: root.cert })
  const { url } = await startBalanced({
    targets: services.map(({ port }) => `https://127.0.0.1:${port}`),
    health: { path: '/healthz', unhealthy_after: 1 },
    ca_file: ca,
  })
  for (let request = 0; request < 20; request += 1) expect((await sendRequest(`${url}/r`)).status).toBe(200)
  for (const { paths } of services) expect(new Set(paths)).toEqual(new Set(['/healthz', '/r']))
})

it('a file that cannot be read stops the start, by its key', async () => {
  const starting = startBalanced({ targets: ['https://127.0.0.1:9'], ca_file: '/nowhere/ca.pem' })
  await expect(starting).rejects.toThrow(InitialisationError)
  await expect(starting).rejects.toThrow('upstreams.service.ca_file: cannot read the file (ENOENT)')
})

it('the certificate of a resolved target is checked against the name, not the address', async () => {
  const root = makeCertificate({ name: 'root', authority: true })
  const { ca } = writeFiles({ ca: root.cert })
  // It is also for 127.0.0.1, which the name of the upstream must outweigh.
  const { port } = await startTlsService(
    makeCertificate({ name: 'leaf', issuer: root, dnsNames: ['service.test'] }),
  )
  const dns = await startDnsServer(['127.0.0.1'])
  const upstreamOf = (name: string) => ({
    dns: { name, port, scheme: 'https', server: dns.address },
    ca_file: ca,
  })
  const [known, unknown] = [
    await startBalanced(upstreamOf('service.test')),
    await startBalanced(upstreamOf('other.test')),
  ]
  expect((await sendRequest(`${known.url}/r`)).status).toBe(200)
  expect((await sendRequest(`${unknown.url}/r`)).status).toBe(424)
})
