import { once } from 'node:events'
import type { Socket } from 'node:net'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

const json = (value: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${value.length + 2}\r\n\r\n"${value}"`

/** An upstream that answers every request, and says more on the same connection at once or when it is told to. */
async function startPair(more: string) {
  let last: Socket | undefined
  const upstream = await startTcpUpstream((socket) =>
    socket.on('data', (chunk) => {
      const [, id = ''] = /^x-request-id: (.*)$/im.exec(chunk.toString('latin1')) ?? []
      socket.write(json(id) + more)
      last = socket
    }),
  )
  const gateway = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const forge = () => {
    last?.write(json('forged'))
    return last
  }
  return { url: gateway.url, forge }
}

async function ask(url: string, id: string): Promise<string> {
  const { status, body } = await sendRequest(`${url}/r`, { headers: { 'x-request-id': id } })
  return `${status} ${body}`
}

describe('a second response that nobody asked for', () => {
  it('in the same packet is not the answer to the next request', async () => {
    const { url } = await startPair(json('forged'))
    for (let n = 0; n < 30; n += 1) expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
  })

  it('on the idle connection ends it, and is not the answer to the next request', async () => {
    const { url, forge } = await startPair('')
    for (let n = 0; n < 15; n += 1) {
      expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
      const connection = forge()
      if (connection !== undefined) await once(connection, 'close')
    }
  })

  it('while the event loop is busy is not the answer to the next request', async () => {
    const { url, forge } = await startPair('')
    for (let n = 0; n < 15; n += 1) {
      // The forged answer to the last request is in the kernel, unread, when the next one is sent in the same turn.
      forge()
      expect(await ask(url, `r${n}`)).toBe(`200 "r${n}"`)
    }
  })
})
