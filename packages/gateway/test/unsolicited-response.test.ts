import { setTimeout as sleep } from 'node:timers/promises'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

const json = (value: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${value.length + 2}\r\n\r\n"${value}"`

/** An upstream that answers every request and then says something more on the same connection. */
async function startPair(secondAfterMs: number | undefined) {
  const upstream = await startTcpUpstream((socket) =>
    socket.on('data', (chunk) => {
      const [, id = ''] = /^x-request-id: (.*)$/im.exec(chunk.toString('latin1')) ?? []
      if (secondAfterMs === undefined) return void socket.write(json(id) + json('forged'))
      socket.write(json(id))
      setTimeout(() => socket.write(json('forged')), secondAfterMs)
    }),
  )
  return await startGateway({ routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }] })
}

async function ask(url: string, id: string): Promise<string> {
  const { status, body } = await sendRequest(`${url}/r`, { headers: { 'x-request-id': id } })
  return `${status} ${body}`
}

describe('a second response that nobody asked for', () => {
  it('in the same packet is not the answer to the next request', async () => {
    const { url } = await startPair(undefined)
    for (let n = 0; n < 30; n += 1) expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
  })

  it('on the idle connection is not the answer to the next request', async () => {
    const { url } = await startPair(5)
    for (let n = 0; n < 15; n += 1) {
      expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
      await sleep(15)
    }
  })

  it('while the event loop is busy is not the answer to the next request', async () => {
    const { url } = await startPair(1)
    for (let n = 0; n < 15; n += 1) {
      expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
      await sleep(2)
      // What arrives now waits in the kernel until the next request is about to be sent.
      const until = performance.now() + 10
      while (performance.now() < until);
    }
  })
})
