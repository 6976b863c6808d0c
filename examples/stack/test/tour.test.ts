import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPaper } from '../src/tour/paper.ts'
import { runTour } from '../src/tour/run-tour.ts'
import type { Stop } from '../src/tour/stop.ts'
import { npmRun } from './harness/run-npm.ts'

// Processes are started, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 30_000 })

/** A gateway that always gives the same answer, so that a stop can be wrong about it. */
async function answering(body: object): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function walk(portBase: number, stops: readonly Stop[]) {
  const output = new PassThrough()
  const wrong = await runTour(stops, { portBase, auditFolder: undefined, paper: createPaper(output) })
  output.end()
  return { wrong, printed: await text(output) }
}

const stop = (run: Stop['run']): Stop => ({ title: 'A title', why: 'A reason.', run })

test('a stop shows its request, the answer as it came, and that it is right', async () => {
  const portBase = await answering({ items: [] })
  const right = stop(async (guide) => {
    const params = { id: 'a-1' }
    await guide.expect({ method: 'PUT', path: '/things/{id}', params, body: { a: 1 } }, 'success')
  })
  expect(await walk(portBase, [right])).toEqual({
    wrong: 0,
    printed: `
1. A title
A reason.

PUT /things/a-1 as nobody
  {
    "a": 1
  }
200 application/json
  {
    "items": []
  }
as it has to be

stops: 1, wrong: 0
`,
  })
})

test('a wrong answer is told, counted, and does not keep the next stop from being shown', async () => {
  const portBase = await answering({})
  const wrong = stop(async (guide) => {
    await guide.expect({ method: 'GET', path: '/things' }, 'conflict')
  })
  const right = stop(async (guide) => {
    await guide.expect({ method: 'GET', path: '/things' }, 'success')
  })
  const { wrong: count, printed } = await walk(portBase, [wrong, right])
  expect(count).toBe(1)
  expect(printed).toContain('WRONG: the outcome has to be conflict, and is success\n')
  expect(printed).toMatch(/as it has to be\n\nstops: 2, wrong: 1\n$/)
})

test('without a stack the tour says so and ends with 1', async () => {
  const portBase = (await answering({})) - 5
  const { code, stdout, stderr } = await npmRun('tour', ['--port-base', String(portBase)])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`http://127.0.0.1:${portBase + 5} gives no tokens`)
})
