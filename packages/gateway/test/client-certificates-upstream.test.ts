import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../src/index.ts'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { applied, startReloadable } from './reload/start-reloadable.ts'

/** An upstream that takes only clients with a certificate of its authority, and tells each who it is. */
async function startDemandingUpstream() {
  const root = makeCertificate({ name: 'root', authority: true })
  const own = makeCertificate({ name: 'upstream', issuer: root })
  const options = { cert: own.cert, key: own.key, ca: root.cert, requestCert: true, rejectUnauthorized: true }
  const server = createServer(options, (request, response) => {
    const { raw } = (request.socket as TLSSocket).getPeerCertificate()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ client: new X509Certificate(raw).subject }))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, root, clientNamed: (name: string) => makeCertificate({ name, issuer: root }) }
}

const start = async (routes: readonly Record<string, unknown>[]) => {
  const config = { routes: routes.map((route) => ({ method: 'GET', ...route })) }
  const gateway = await startReloadable(config)
  const ask = async (path: string) =>
    readFetched(await fetch(gateway.url + path, { headers: { 'X-Tenant-ID': 'acme' } }))
  return { ask, reload: () => gateway.reloadTo(config) }
}

describe('an upstream that asks for a certificate', () => {
  it('gets the one of the route; two routes never share a connection', async () => {
    const { url, root, clientNamed } = await startDemandingUpstream()
    const [a, b] = [clientNamed('a'), clientNamed('b')]
    const files = writeFiles({ ca: root.cert, a: a.cert, aKey: a.key, b: b.cert, bKey: b.key })
    const { ask } = await start([
      {
        id: 'a',
        path: '/a',
        target: url,
        ca_file: files.ca,
        client_cert_file: files.a,
        client_key_file: files.aKey,
      },
      {
        id: 'b',
        path: '/b',
        target: url,
        ca_file: files.ca,
        client_cert_file: files.b,
        client_key_file: files.bKey,
      },
      { id: 'none', path: '/none', target: url, ca_file: files.ca },
    ])
    for (let round = 0; round < 3; round += 1) {
      expect(await ask('/a')).toMatchObject({ status: 200, body: '{"client":"CN=a"}' })
      expect(await ask('/b')).toMatchObject({ status: 200, body: '{"client":"CN=b"}' })
      expectRefusal(await ask('/none'), 424, 'UPSTREAM_UNAVAILABLE')
    }
  })

  it('sees a renewed certificate after a reload; a key that does not fit refuses the reload', async () => {
    const { url, root, clientNamed } = await startDemandingUpstream()
    const [old, renewed] = [clientNamed('old'), clientNamed('renewed')]
    const files = writeFiles({ ca: root.cert, cert: old.cert, key: old.key })
    const { ask, reload } = await start([
      {
        id: 'r',
        path: '/r',
        target: url,
        ca_file: files.ca,
        client_cert_file: files.cert,
        client_key_file: files.key,
      },
    ])
    expect((await ask('/r')).body).toBe('{"client":"CN=old"}')
    writeFileSync(files.cert, renewed.cert)
    expect(await reload()).toMatchObject({
      result: 'refused',
      faults: ['gateway.yaml: routes.r.client_key_file does not belong to routes.r.client_cert_file'],
    })
    expect((await ask('/r')).body).toBe('{"client":"CN=old"}')
    writeFileSync(files.key, renewed.key)
    expect(await reload()).toMatchObject(applied)
    expect((await ask('/r')).body).toBe('{"client":"CN=renewed"}')
  })
})

describe('a client certificate that cannot be used fails the start and names its key', () => {
  const good = makeCertificate()
  const expired = makeCertificate({ notBefore: new Date(0), notAfter: new Date(Date.now() - 1000) })

  it.each([
    [good.cert, makeCertificate().key, 'client_key_file does not belong to routes.r.client_cert_file'],
    ['nothing', good.key, 'client_cert_file is not a PEM certificate'],
    [good.cert, 'nothing', 'client_key_file is not a usable private key'],
    [expired.cert, expired.key, 'client_cert_file has expired'],
  ])('%#', async (cert, key, message) => {
    const files = writeFiles({ cert, key })
    const route = { id: 'r', path: '/r', target: 'https://127.0.0.1:1' }
    await expect(
      start([{ ...route, client_cert_file: files.cert, client_key_file: files.key }]),
    ).rejects.toThrow(new InitialisationError(`routes.r.${message}`))
  })

  it.each(['client_cert_file', 'client_key_file'])('%s cannot be read', async (key) => {
    const files = writeFiles({ cert: good.cert, key: good.key })
    const named = {
      client_cert_file: files.cert,
      client_key_file: files.key,
      [key]: '/nonexistent/file.pem',
    }
    await expect(start([{ id: 'r', path: '/r', target: 'https://127.0.0.1:1', ...named }])).rejects.toThrow(
      new InitialisationError(`routes.r.${key}: cannot read the file (ENOENT)`),
    )
  })
})
