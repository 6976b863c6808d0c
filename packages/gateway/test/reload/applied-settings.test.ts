import { writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { expectRefusal, readFetched } from '../harness/expect-outcome.ts'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

test('limits of bodies and origins of browsers hold from the next request on', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const routes = [{ ...itemRoute(upstream.url), method: 'POST' }]
  const gateway = await startReloadable({ routes })
  const send = () =>
    fetch(`${gateway.url}/items`, {
      method: 'POST',
      body: '{"long":"enough"}',
      headers: { 'X-Tenant-ID': 'acme', Origin: 'https://app.test', 'Content-Type': 'application/json' },
    })
  const before = await send()
  expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([200, null])
  const changed = { limits: { max_body_bytes: 10 }, cors: { origins: ['https://app.test'] } }
  expect(await gateway.reloadTo({ gateway: changed, routes })).toMatchObject(applied)
  const after = await send()
  expect(after.headers.get('access-control-allow-origin')).toBe('https://app.test')
  expectRefusal(await readFetched(after), 413, 'BODY_TOO_LARGE')
})

test('a renewed certificate is shown to the next client', async () => {
  const [old, renewed] = [makeCertificate({ name: 'old' }), makeCertificate({ name: 'renewed' })]
  const files = writeFiles({ cert: old.cert, key: old.key })
  const config = { gateway: { tls: { cert_file: files.cert, key_file: files.key } }, routes: [] }
  const gateway = await startReloadable(config)
  const shown = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: gateway.port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().subject.CN)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  expect(await shown()).toBe('old')
  writeFileSync(files.cert, renewed.cert)
  expect(await gateway.reloadTo(config)).toMatchObject({
    result: 'refused',
    faults: ['gateway.yaml: gateway.tls.key_file does not belong to gateway.tls.cert_file'],
  })
  expect(await shown()).toBe('old')
  writeFileSync(files.key, renewed.key)
  expect(await gateway.reloadTo(config)).toMatchObject(applied)
  expect(await shown()).toBe('renewed')
})
