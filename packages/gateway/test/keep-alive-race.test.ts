import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { printedSeed, seededRandom } from '@agentic-rest/testing/seeded-random'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

const IDLE_MS = 12
const REQUESTS = 400

/** An upstream that drops a connection as soon as it was idle for a moment, and counts what it executed. */
async function startImpatientUpstream() {
  const executed = new Map<string, number>()
  const dropped = { count: 0 }
  const upstream = await startTcpUpstream((socket) => {
    let idle: NodeJS.Timeout | undefined
    socket.setNoDelay(true)
    socket.on('close', () => clearTimeout(idle))
    socket.on('data', (chunk) => {
      clearTimeout(idle)
      const [, id = ''] = /^x-request-id: (.*)$/im.exec(chunk.toString('latin1')) ?? []
      executed.set(id, (executed.get(id) ?? 0) + 1)
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${id.length + 2}\r\n\r\n"${id}"`,
      )
      // Wait: the upstream drops idle connections; the moment of it is the subject.
      idle = setTimeout(drop, IDLE_MS, socket, dropped)
    })
  })
  return { ...upstream, executed, dropped }
}

/** Half of the drops are resets: unread bytes make a kernel send one. */
function drop(socket: Socket, dropped: { count: number }): void {
  dropped.count += 1
  if (dropped.count % 2 === 0) socket.resetAndDestroy()
  else socket.destroy()
}

describe('at the idle edge of an upstream', () => {
  it('GET and keyed POST never fail, and nothing is executed twice', async () => {
    const random = seededRandom(printedSeed('idle edge'))
    const { url: target, executed, dropped } = await startImpatientUpstream()
    const { url } = await startGateway({
      routes: ['GET', 'POST'].map((method) => ({ id: method, method, path: '/r', target })),
    })
    const send = async (id: string) => {
      const keyed = random() < 0.5
      const answer = await sendRequest(`${url}/r`, {
        method: keyed ? 'POST' : 'GET',
        headers: { 'x-request-id': id, ...(keyed && { 'idempotency-key': id }) },
        ...(keyed && { body: '{}' }),
      })
      return { id, status: answer.status, body: answer.body.toString() }
    }
    // Four clients whose pauses lie around the moment at which the upstream hangs up.
    const client = async (name: number) => {
      for (let n = 0; n < REQUESTS / 4; n += 1) {
        const { id, status, body } = await send(`c${name}-${n}`)
        expect({ id, status, body }).toEqual({ id, status: 200, body: JSON.stringify(id) })
        // Wait: requests come around that moment.
        await sleep(IDLE_MS - 4 + random() * 6)
      }
    }
    await Promise.all([0, 1, 2, 3].map(client))
    expect(dropped.count).toBeGreaterThan(20)
    expect(executed.size).toBe(REQUESTS)
    expect([...executed.values()].filter((count) => count !== 1)).toEqual([])
  })
})
