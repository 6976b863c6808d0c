import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate, type TestCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../src/index.ts'
import { expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

async function startTlsUpstream({ cert, key }: Pick<TestCertificate, 'cert' | 'key'>) {
  const requests: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    requests.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"secure":true}')
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

type Routes = readonly Record<string, unknown>[]

async function startFor(routes: Routes) {
  const { port, log } = await startGateway({ routes: routes.map((route) => ({ method: 'GET', ...route })) })
  const ask = async (path: string) => {
    const { send, response } = await openConnection(port)
    send(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n`)
    return await response()
  }
  return { ask, log }
}

describe('an https target', () => {
  it('is trusted by the authorities of its ca_file, one or several', async () => {
    const root = makeCertificate({ name: 'root', authority: true })
    const leaf = makeCertificate({ name: 'leaf', issuer: root })
    const upstream = await startTlsUpstream(leaf)
    const other = makeCertificate({ name: 'other root', authority: true })
    const { ca } = writeFiles({ ca: `# ours\n${other.cert}\n${root.cert}` })
    const { ask } = await startFor([{ id: 'r', path: '/r', target: upstream.url, ca_file: ca }])
    expect(await ask('/r')).toMatchObject({ status: 200, body: '{"secure":true}' })
    expect(upstream.requests).toEqual(['/r'])
  })

  it('is not trusted without one: 424, and the request is not sent', async () => {
    const upstream = await startTlsUpstream(makeCertificate())
    const { ask } = await startFor([{ id: 'r', path: '/r', target: upstream.url }])
    const answer = await ask('/r')
    expectRefusal(answer, 424, 'UPSTREAM_UNAVAILABLE')
    expect(answer.body).not.toMatch(/127\.0\.0\.1|certificate|CERT/i)
    expect(upstream.requests).toEqual([])
  })

  it.each([
    ['of another authority', () => makeCertificate({ name: 'other' })],
    [
      'for another address',
      (root: TestCertificate) => makeCertificate({ issuer: root, addresses: [[10, 0, 0, 1]] }),
    ],
    [
      'that has expired',
      (root: TestCertificate) =>
        makeCertificate({ issuer: root, notBefore: new Date(0), notAfter: new Date(Date.now() - 1000) }),
    ],
  ])('is not trusted with a certificate %s', async (_title, make) => {
    const root = makeCertificate({ name: 'root', authority: true })
    const upstream = await startTlsUpstream(make(root))
    const { ca } = writeFiles({ ca: root.cert })
    const { ask } = await startFor([{ id: 'r', path: '/r', target: upstream.url, ca_file: ca }])
    expectRefusal(await ask('/r'), 424, 'UPSTREAM_UNAVAILABLE')
    expect(upstream.requests).toEqual([])
  })

  it('is trusted by one route alone: another to the same origin uses no connection of the first', async () => {
    const certificate = makeCertificate()
    const upstream = await startTlsUpstream(certificate)
    const { ca } = writeFiles({ ca: certificate.cert })
    const { ask } = await startFor([
      { id: 'trusting', path: '/a', target: upstream.url, ca_file: ca },
      { id: 'other', path: '/b', target: upstream.url },
    ])
    expect((await ask('/a')).status).toBe(200)
    expectRefusal(await ask('/b'), 424, 'UPSTREAM_UNAVAILABLE')
    expect((await ask('/a')).status).toBe(200)
    expect(upstream.requests).toEqual(['/a', '/a'])
  })
})

describe('a ca_file that cannot be used', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

  it.each([
    ['no certificate in it', 'nothing'],
    ['a broken certificate', broken],
    ['a broken certificate behind a good one', makeCertificate().cert + broken],
    ['a private key', makeCertificate().key],
  ])('fails the start and names its key: %s', async (_title, text) => {
    const { ca } = writeFiles({ ca: text })
    await expect(
      startFor([{ id: 'r', path: '/r', target: 'https://127.0.0.1:1', ca_file: ca }]),
    ).rejects.toThrow(new InitialisationError('routes.r.ca_file is not a PEM certificate'))
  })

  it('fails the start and names its key: it cannot be read', async () => {
    await expect(
      startFor([{ id: 'r', path: '/r', target: 'https://127.0.0.1:1', ca_file: '/nonexistent/ca.pem' }]),
    ).rejects.toThrow(new InitialisationError('routes.r.ca_file: cannot read the file (ENOENT)'))
  })
})
