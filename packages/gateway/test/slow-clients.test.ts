import { describe, expect, it } from 'vitest'
import { expectBare } from './harness/expect-outcome.ts'
import { makeCertificate, writeFiles } from './harness/make-certificate.ts'
import { openConnection, type RawConnection } from './harness/raw-connection.ts'
import { startGateway } from './harness/start-gateway.ts'

const routes = [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }]

/** What a connection got until it was closed, and after how many seconds. */
async function outcomeOf({ closed }: RawConnection): Promise<{ text: string; seconds: number }> {
  const startedAt = performance.now()
  const text = await closed()
  return { text, seconds: (performance.now() - startedAt) / 1000 }
}

const startTls = async () => {
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  return await startGateway({ gateway: { tls: { cert_file: files.cert, key_file: files.key } }, routes })
}

describe('a client that is too slow', () => {
  // Ten seconds are the gateway's own limit, which no configuration changes; so this test is as slow as its clients.
  it('gets a bare 408 for its head after 10 s, and is cut in its handshake', {
    timeout: 20_000,
  }, async () => {
    const { port } = await startGateway({ routes })
    const silent = await openConnection(port)
    const stopped = await openConnection(port)
    stopped.send('GET /r HTTP/1.1\r\nHost: gate')
    const dripping = await openConnection(port)
    dripping.send('GET /r HTTP/1.1\r\nHost: gateway\r\n')
    const drip = setInterval(() => dripping.send('x: y\r\n'), 500)
    const handshaking = await openConnection((await startTls()).port)
    const results = await Promise.all([silent, stopped, dripping, handshaking].map(outcomeOf))
    clearInterval(drip)
    for (const { text } of results.slice(0, 3)) expectBare(text, 408)
    expect(results[3]?.text).toBe('')
    for (const { seconds } of results) {
      expect(seconds).toBeGreaterThan(9.5)
      expect(seconds).toBeLessThan(12.5)
    }
  })
})
