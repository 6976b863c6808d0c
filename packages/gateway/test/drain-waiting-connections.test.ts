import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { parseResponse } from './harness/raw-client.ts'

const CLIENTS = 20

/** Connects many times, sends a request on each, says so, and posts all that comes back. */
const clients = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, text, sent, count } } = require('node:worker_threads')
const ask = () => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, () => {
    Atomics.add(sent, 0, 1)
    Atomics.notify(sent, 0)
  }))
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString('latin1')))
  socket.on('error', ({ code }) => (received += code))
  socket.on('close', () => resolve(received))
})
Promise.all(Array.from({ length: count }, ask)).then((all) => parentPort.postMessage(all))`

test('requests on connections that wait to be taken up when the gateway is told to end are answered', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { gateway, port } = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const text = 'GET /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n'
  const worker = new Worker(clients, { eval: true, workerData: { port, text, sent, count: CLIENTS } })
  onTestFinished(async () => void (await worker.terminate()))
  const answered = once(worker, 'message')
  await once(worker, 'online')
  // This thread, which is the gateway's, sleeps as one does that gets no turn: the kernel completes the handshakes.
  for (let count = 0; count < CLIENTS; count = Atomics.load(sent, 0)) Atomics.wait(sent, 0, count)
  const drained = gateway.drain()
  const [received] = (await answered) as [string[]]
  const answers = received.map(parseResponse).map(({ status, body }) => `${status} ${body}`)
  expect(answers).toEqual(Array<string>(CLIENTS).fill('200 {"ok":true}'))
  await drained
})
