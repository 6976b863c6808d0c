import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { npmRun } from '@agentic-rest/testing/start-stack'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../src/index.ts'
import type { Stop } from '../src/tour/guide.ts'
import { runTour } from '../src/tour/guide.ts'
import { createPaper } from '../src/tour/paper.ts'
import { success } from '../src/tour/stops/completions.ts'
import { stream } from '../src/tour/stops/streams.ts'

/** A gateway that always gives the same answer, so that a stop can be wrong about it. */
async function answering(body: object | string, port = 0): Promise<number> {
  const [type, text] =
    typeof body === 'string' ? ['text/event-stream', body] : ['application/json', JSON.stringify(body)]
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(text)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The same, with somebody beside it who gives tokens. */
async function answeringStack(body: object | string): Promise<number> {
  const portBase = await answering(body, await freePortBase())
  await answering({ access_token: 'a.b.c', expires_in: 60 }, portOf('identity', portBase))
  return portBase
}

async function walk(portBase: number, stops: readonly Stop[]) {
  const output = new PassThrough()
  const wrong = await runTour(stops, { portBase, paper: createPaper(output) })
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
as expected

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
  expect(printed).toContain('WRONG: the outcome must be conflict, but is success\n')
  expect(printed).toMatch(/as expected\n\nstops: 2, wrong: 1\n$/)
})

test('a visitor who leaves has seen a part of the stops', async () => {
  const portBase = await answering({})
  const right = stop(async (guide) => {
    await guide.expect({ method: 'GET', path: '/things' }, 'success')
  })
  const asked: string[] = []
  const output = new PassThrough()
  const goOn = async () => asked.push('next') < 2
  const wrong = await runTour([right, right, right], { portBase, paper: createPaper(output), goOn })
  output.end()
  expect(wrong).toBe(0)
  const printed = await text(output)
  expect(printed).not.toContain('\n3. A title\n')
  expect(printed).toMatch(/as expected\n\nstops: 2 of 3, wrong: 0\n$/)
  expect(asked).toHaveLength(2)
})

test('without a stack the tour says so and ends with 1', async () => {
  const portBase = (await answering({})) - 5
  const { code, stdout, stderr } = await npmRun('tour', ['--port-base', String(portBase)])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`http://127.0.0.1:${portBase + 5} gives no tokens`)
})

test('where nobody listens the way out is a command that npm understands', async () => {
  const portBase = await freePortBase()
  const { code, stderr } = await npmRun('tour', ['--port-base', String(portBase)])
  expect(code).toBe(1)
  expect(stderr).toContain(
    `no identity provider answers at http://127.0.0.1:${portBase + 5}: start the stack, or name its port with npm run tour -- --port-base N\n`,
  )
})

const usage = /^Usage: npm run tour \[-- --port-base N\] \[--all\]\n/m

test('--help says how it is used', async () => {
  const { code, stdout, stderr } = await npmRun('tour', ['--help'])
  expect([code, stderr.replace(/^npm warn .*\n/gm, '')]).toEqual([0, ''])
  expect(stdout).toMatch(usage)
})

test.each([
  [['--bogus'], "Unknown option '--bogus'"],
  [['--port-base', 'abc'], '--port-base is a number from 1 to 65435, not "abc"'],
])('%j is refused with 2 and no trace', async (args, fault) => {
  const { code, stdout, stderr } = await npmRun('tour', args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(fault)
  expect(stderr).toMatch(usage)
  expect(stderr).not.toMatch(/^ +at /m)
})

test.each([
  [5, 0],
  [3, 0],
  [6, 1],
  [0, 1],
])('of %i words where 5 were allowed %i stops are wrong', async (completion_tokens, wrong) => {
  expect(await walk(await answeringStack({ usage: { completion_tokens } }), [success])).toMatchObject({
    wrong,
  })
})

test('a text has at most as many words as were allowed', async () => {
  const frame = 'data: {"choices":[{"text":" word"}]}\n\n'
  const tooMany = `${frame.repeat(13)}data: [DONE]\n\n`
  const { wrong, printed } = await walk(await answeringStack(tooMany), [stream])
  expect(wrong).toBe(1)
  expect(printed).toContain('WRONG: there have to be at most 12 words, and there are 13\n')
})
