import { once } from 'node:events'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSocket, sendRaw } from './harness/raw-client.ts'

const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, 'Host: gateway', 'X-Tenant-ID: acme', ...more, '', ''].join('\r\n')

/** An upstream that answers each path when the test says so. */
async function startManual() {
  const waiting = new Map<string, () => void>()
  const upstream = await startUpstream(({ url }, response) => {
    waiting.set(url, () => answerJson(response, { body: { url } }))
  })
  const answer = async (url: string) => {
    await eventually(
      () => waiting.has(url),
      (has) => has,
    )
    waiting.get(url)?.()
  }
  const routes = ['GET', 'POST'].map((method) => ({
    id: method,
    method,
    path: '/{name}',
    target: upstream.url,
  }))
  return { upstream, answer, routes }
}

/** Resolves when nobody can connect any more: what comes on open connections is refused from then on. */
async function untilRefused(port: number): Promise<void> {
  await eventually(
    () =>
      openSocket(port).then(
        (socket) => void socket.destroy(),
        () => 'refused',
      ),
    (result) => result === 'refused',
  )
}

describe('pipelined requests', () => {
  it('reach the upstream one after another, in their order', async () => {
    const { upstream, answer, routes } = await startManual()
    const { port } = await startGateway({ routes })
    const socket = await openSocket(port)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(
      `${head('POST /a', 'Content-Length: 2')}{}${head('GET /b')}${head('POST /c', 'Content-Length: 2')}{}`,
    )
    await answer('/a')
    await answer('/b')
    expect(upstream.requests.map(({ url }) => url)).toEqual(expect.not.arrayContaining(['/c']))
    await answer('/c')
    while (!text.includes('"/c"')) await once(socket, 'data')
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a', '/b', '/c'])
    expect([...text.matchAll(/"url":"(.*?)"/g)].map(([, url]) => url)).toEqual(['/a', '/b', '/c'])
  })

  it('are not started when their client has left', async () => {
    const { upstream, routes } = await startManual()
    const { port, metrics } = await startGateway({ routes })
    const socket = await openSocket(port)
    socket.write(head('GET /a') + head('GET /b'))
    await eventually(
      () => upstream.requests.length,
      (count) => count === 1,
    )
    socket.destroy()
    await eventually(metrics, (text) => text.includes('outcome="client_disconnect"'))
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a'])
  })

  it('that were begun are all answered while draining, and the last answer ends the connection', async () => {
    const { upstream, answer, routes } = await startManual()
    const { port, gateway } = await startGateway({ routes })
    const socket = await openSocket(port)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(head('GET /a') + head('GET /b'))
    await eventually(
      () => upstream.requests.length,
      (count) => count === 1,
    )
    const drained = gateway.drain()
    await untilRefused(port)
    await answer('/a')
    await once(socket, 'close')
    await drained
    const answers = text.split('HTTP/1.1 ').slice(1)
    expect(answers.map((part) => part.slice(0, 3))).toEqual(['200', '503'])
    expect(answers.map((part) => /Connection: close/i.test(part))).toEqual([false, true])
    expect(text).toContain('SHUTTING_DOWN')
  })

  it('are not started behind an answer to HTTP/1.0 whose length is not known', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.write('{}')
      response.end()
    })
    const { port, metrics } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/{name}', target: upstream.url }],
    })
    const old = head('GET /a', 'Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0')
    const text = await sendRaw(port, old + head('GET /b'))
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text.match(/^connection: .*$/gim)).toEqual(['Connection: close'])
    await eventually(metrics, (scrape) => /^agentic_gateway_requests_in_flight 0$/m.test(scrape))
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a'])
  })

  it('that waited past their deadline are told so without a warning of Node', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warned.mockRestore())
    const { upstream, routes } = await startManual()
    const timed = routes.map((route) => ({ ...route, executionTimeoutSeconds: 1 }))
    const { port } = await startGateway({ routes: timed })
    const text = await sendRaw(port, head('GET /a') + head('GET /b', 'Connection: close'))
    expect(text.match(/"code":"\w+"/g)).toEqual(['"code":"EXECUTION_TIMEOUT"', '"code":"EXECUTION_TIMEOUT"'])
    expect(upstream.requests.map(({ url }) => url)).toContain('/a')
    expect(warned.mock.calls.flat()).not.toContain('TimeoutNegativeWarning')
  })

  it('behind a CONNECT are lost with it, but what came before is answered', async () => {
    const { answer, routes } = await startManual()
    const { port } = await startGateway({ routes })
    const answered = sendRaw(port, head('GET /a') + head('CONNECT example.test:443'))
    await answer('/a')
    expect(await answered).toContain('{"url":"/a"}')
  })

  it.each([
    ['whose answer ends the connection', ['GET /a', 'GET /b'], 'Expect: 100-continue'],
    [
      'whose answer ends the connection, with a CONNECT at the end',
      ['GET /a', 'GET /b', 'CONNECT example.test:443'],
      'Expect: 100-continue',
    ],
  ])('are not started behind one %s', async (_title, lines, extra) => {
    const { upstream, answer, routes } = await startManual()
    const { port, metrics } = await startGateway({ routes })
    const [first = '', ...others] = lines
    const text = sendRaw(port, head(first, extra) + others.map((line) => head(line)).join(''))
    await answer('/a')
    expect(await text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    await eventually(metrics, (scrape) => /^agentic_gateway_requests_in_flight 0$/m.test(scrape))
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a'])
  })

  it.each([
    ['alone', []],
    ['and Node has given the socket away', ['CONNECT example.test:443']],
  ])('leave nothing behind when their client has left, %s', async (_title, last) => {
    const { upstream, routes } = await startManual()
    const { port, metrics } = await startGateway({ routes })
    const socket = await openSocket(port)
    socket.write(['GET /a', 'GET /b', 'GET /c', ...last].map((line) => head(line)).join(''))
    await eventually(
      () => upstream.requests.length,
      (count) => count === 1,
    )
    socket.destroy()
    await eventually(metrics, (scrape) => /^agentic_gateway_requests_in_flight 0$/m.test(scrape))
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a'])
  })
})

describe('a request that asks for an upgrade', () => {
  it('is answered as it is and ends its connection, so that nothing behind it can be read in its middle', async () => {
    const { upstream, answer, routes } = await startManual()
    const { port } = await startGateway({ routes })
    const smuggled = head('GET /smuggled')
    const socket = await openSocket(port)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(
      head('GET /a', 'Connection: Upgrade', 'Upgrade: websocket') +
        head('POST /b', `Content-Length: ${smuggled.length}`),
    )
    await eventually(
      () => upstream.requests.length,
      (count) => count === 1,
    )
    socket.write(smuggled)
    await answer('/a')
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text).toMatch(/\r\nConnection: close\r\n/)
    expect(text.split('HTTP/1.1 ')).toHaveLength(2)
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a'])
  })
})
