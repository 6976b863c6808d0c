import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { configText } from '@agentic-rest/testing/config-text'
import { makeCertificate, type TestCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { expect, test } from 'vitest'
import { InitialisationError, parseConfig } from '../../src/index.ts'
import { development, startAdmin } from './harness/start-admin.ts'

interface Asked {
  readonly port: number
  readonly ca: string
  readonly method?: string
  readonly path?: string
  readonly body?: string
  /** The certificate of the client. */
  readonly client?: TestCertificate
}

/** Asks over a new connection, so that each request has its own handshake. */
function ask({ port, ca, method = 'GET', path = '/api/gateway', body, client }: Asked) {
  return new Promise<{ status: number | undefined; cookie: string }>((resolve, reject) => {
    const own = client && { cert: client.cert, key: client.key }
    const options = { host: '127.0.0.1', port, ca, method, path, agent: false, ...own }
    const asking = request(options, (response) => {
      response.resume()
      resolve({ status: response.statusCode, cookie: String(response.headers['set-cookie']) })
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

test('the admin listener serves over TLS, plain HTTP gets no answer, and a reload renews the certificate', async () => {
  const first = makeCertificate()
  const files = writeFiles({ cert: first.cert, key: first.key })
  const tls = { cert_file: files.cert, key_file: files.key }
  const config = { gateway: { admin: { port: 0, tls } }, routes: [] }
  const { adminPort, adminUrl, gateway } = await startAdmin({
    admin: { development },
    config: { gateway: config.gateway },
    source: {
      file: 'gateway.yaml',
      read: () => parseConfig(configText(config), { file: 'gateway.yaml', env: {} }),
    },
  })
  expect(await ask({ port: adminPort, ca: first.cert })).toMatchObject({ status: 200 })
  await expect(fetch(`${adminUrl}/api/gateway`)).rejects.toThrow()
  const second = makeCertificate()
  writeFileSync(files.cert, second.cert)
  expect(await gateway.reload()).toMatchObject({
    result: 'refused',
    faults: ['gateway.yaml: gateway.admin.tls.key_file does not belong to gateway.admin.tls.cert_file'],
  })
  writeFileSync(files.key, second.key)
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  expect(await ask({ port: adminPort, ca: second.cert })).toMatchObject({ status: 200 })
  await expect(ask({ port: adminPort, ca: first.cert })).rejects.toThrow()
})

test('the admin listener can demand certificates of its clients', async () => {
  const root = makeCertificate({ name: 'clients', authority: true })
  const server = makeCertificate()
  const files = writeFiles({ cert: server.cert, key: server.key, ca: root.cert })
  const tls = {
    cert_file: files.cert,
    key_file: files.key,
    client_ca_file: files.ca,
    client_certificate: 'require',
  }
  const { adminPort: port } = await startAdmin({
    admin: { development },
    config: { gateway: { admin: { port: 0, tls } } },
  })
  const client = makeCertificate({ name: 'operator', issuer: root })
  expect(await ask({ port, ca: server.cert, client })).toMatchObject({ status: 200 })
  await expect(ask({ port, ca: server.cert })).rejects.toThrow()
  await expect(ask({ port, ca: server.cert, client: makeCertificate() })).rejects.toThrow()
})

test('a certificate that cannot be used ends the start with the name of its key', async () => {
  const { cert } = makeCertificate()
  const files = writeFiles({ cert, key: makeCertificate().key })
  const settings = { tls: { cert_file: files.cert, key_file: files.key } }
  const starting = startAdmin({ settings })
  await expect(starting).rejects.toThrow(InitialisationError)
  await expect(starting).rejects.toThrow(
    'gateway.admin.tls.key_file does not belong to gateway.admin.tls.cert_file',
  )
})
