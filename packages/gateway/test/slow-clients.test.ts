import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { describe, expect, it } from 'vitest'
import { expectBare } from './harness/expect-outcome.ts'
import { ownTime } from './harness/own-time.ts'
import { openConnection, type RawConnection } from './harness/raw-connection.ts'

const routes = [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }]

/** Opens a connection, and tells what it got until it was closed and after how many seconds. */
async function openTimed(port: number): Promise<TimedConnection> {
  const startedAt = performance.now()
  const connection = await openConnection(port)
  const outcome = connection
    .closed()
    .then((text) => ({ text, seconds: (performance.now() - startedAt) / 1000 }))
  const ownSeconds = ownTime(() => outcome).then((ms) => ms / 1000)
  return { ...connection, outcome, ownSeconds }
}

interface TimedConnection extends RawConnection {
  readonly outcome: Promise<Outcome>
  /** The same without the time in which this process, and the gateway in it, did not run. */
  readonly ownSeconds: Promise<number>
}

interface Outcome {
  readonly text: string
  readonly seconds: number
}

const startTls = async () => {
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  return await startGateway({ gateway: { tls: { cert_file: files.cert, key_file: files.key } }, routes })
}

describe('a client that is too slow', () => {
  // Ten seconds are the gateway's own limit, which no configuration changes; so this test is as slow as its clients.
  it('gets a bare 408 for its head after 10 s, and is cut in its handshake', async () => {
    const { port } = await startGateway({ routes })
    const { port: tlsPort } = await startTls()
    const silent = await openTimed(port)
    const stopped = await openTimed(port)
    stopped.send('GET /r HTTP/1.1\r\nHost: gate')
    const dripping = await openTimed(port)
    dripping.send('GET /r HTTP/1.1\r\nHost: gateway\r\n')
    const drip = setInterval(() => dripping.send('x: y\r\n'), 500)
    const handshaking = await openTimed(tlsPort)
    const timed = [silent, stopped, dripping, handshaking]
    const results = await Promise.all(timed.map(({ outcome }) => outcome))
    clearInterval(drip)
    for (const { text } of results.slice(0, 3)) expectBare(text, 408)
    expect(results[3]?.text).toBe('')
    for (const { seconds } of results) expect(seconds).toBeGreaterThan(9.5)
    for (const { ownSeconds } of timed) expect(await ownSeconds).toBeLessThan(12.5)
  })
})
