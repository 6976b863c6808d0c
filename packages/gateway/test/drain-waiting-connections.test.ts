import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { parseResponse } from './harness/raw-client.ts'
import { startGateway } from './harness/start-gateway.ts'
import { answerJson, startUpstream } from './harness/start-upstream.ts'

/** Connects, sends a request, says so, and posts all that comes back. */
const client = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, text, sent } } = require('node:worker_threads')
const socket = connect(port, '127.0.0.1', () => socket.write(text, () => {
  Atomics.store(sent, 0, 1)
  Atomics.notify(sent, 0)
}))
let received = ''
socket.on('data', (bytes) => (received += bytes.toString('latin1')))
socket.on('error', ({ code }) => (received += code))
socket.on('close', () => parentPort.postMessage(received))`

test('a request on a connection that waits to be taken up when the gateway is told to end is answered', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { gateway, port } = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const text = 'GET /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n'
  const worker = new Worker(client, { eval: true, workerData: { port, text, sent } })
  onTestFinished(async () => void (await worker.terminate()))
  const answered = once(worker, 'message')
  await once(worker, 'online')
  // This thread, which is the gateway's, sleeps as one does that gets no turn: the kernel completes the handshake.
  Atomics.wait(sent, 0, 0)
  const drained = gateway.drain()
  const [received] = await answered
  const answer = parseResponse(received)
  expect([answer.status, answer.body]).toEqual([200, '{"ok":true}'])
  await drained
})
