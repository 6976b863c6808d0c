import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { outcomesByName, sendOutcome } from './harness/outcome-service.ts'
import { folderWith, spawnAgentic } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A service that records requests and answers with `answer` or a success. */
async function startRecorder(answer = succeed) {
  const seen: Seen[] = []
  const { url } = await startServer(async (request, response) => {
    seen.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: await text(request),
    })
    await answer(request, response, seen)
  })
  return { url, seen }
}

function succeed(
  request: IncomingMessage,
  response: ServerResponse,
  _seen: readonly Seen[],
): void | Promise<void> {
  sendOutcome(request, response, { type: 'success', body: {} })
}

const approval = outcomesByName['approval'] ?? expect.fail()
const done = { type: 'created', body: { id: 'opt-1' } } as const

test('method, path, query, body, tenant, key and headers are sent as they are given', async () => {
  const { url, seen } = await startRecorder()
  const args = [
    '--tenant',
    'acme',
    '--idempotency-key',
    'k-1',
    '-H',
    'X-Region: north',
    '-H',
    'x-region:  south ',
  ]
  const data = ['--data', '{"a":[1,"é"]}', '--async', '--token', 'abc.def']
  const { code } = await runHere([
    'call',
    'put',
    '/items/a%20b?x=1&x=2&y=',
    '--base-url',
    url,
    ...args,
    ...data,
  ])
  expect(code).toBe(0)
  expect(seen).toMatchObject([
    {
      line: 'PUT /items/a%20b?x=1&x=2&y=',
      body: '{"a":[1,"é"]}',
      headers: {
        authorization: 'Bearer abc.def',
        'content-type': 'application/json',
        'x-tenant-id': 'acme',
        'idempotency-key': 'k-1',
        'x-region': 'north, south',
        prefer: 'respond-async',
        accept: 'application/json, text/event-stream',
      },
    },
  ])
})

test('a body comes from a file or from stdin', async () => {
  const { url, seen } = await startRecorder()
  const cwd = folderWith({ 'body.json': '{ "from": "file" }' })
  await runHere(['call', 'POST', '/x', '--base-url', url, '--data', '@body.json'], { cwd })
  await runHere(['call', 'POST', '/x', '--base-url', url, '-d', '-'], { stdin: '{ "from": "stdin" }' })
  expect(seen.map(({ body }) => body)).toEqual(['{"from":"file"}', '{"from":"stdin"}'])
})

test('a path below the base URL stays below it, and an Accept header of the caller counts', async () => {
  const { url, seen } = await startRecorder()
  await runHere(['call', 'GET', '/x', '--base-url', `${url}/api/`, '--header', 'accept: application/json'])
  expect(seen).toMatchObject([{ line: 'GET /api/x', headers: { accept: 'application/json' } }])
})

test('the token comes from the environment where no option gives one, and is shown nowhere', async () => {
  const { url, seen } = await startRecorder((_request, response) => void response.destroy())
  const env = { AGENTIC_TOKEN: 'do-not-show' }
  for (const args of [[], ['--json'], ['--token', 'do-not-show-either']]) {
    const { code, stdout, stderr } = await runHere(['call', 'POST', '/x', '--base-url', url, ...args], {
      env,
    })
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toContain('NETWORK')
    expect(`${stdout}${stderr}`).not.toContain('do-not-show')
  }
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer do-not-show',
    'Bearer do-not-show',
    'Bearer do-not-show-either',
  ])
})

test('a token or a header that cannot be sent is refused without being repeated', async () => {
  const bad = 'do-not-show\u0007'
  for (const args of [
    ['--token', bad],
    ['--header', `x: ${bad}`],
  ]) {
    const { code, stdout, stderr } = await runHere(['call', 'GET', '/x', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^agentic call: [^\n]+\n$/)
    expect(stderr).not.toContain('do-not-show')
  }
})

test('an operation is followed to its end, with a line for each change', async () => {
  const states = [
    { status: 'working', progress: { step: 1 } },
    { status: 'working', progress: { step: 1 } },
    { status: 'completed', outcome: 'created', result: { id: 'opt-1' } },
  ]
  const { url, seen } = await startRecorder((request, response) => {
    if (request.method === 'POST') return sendOutcome(request, response, outcomesByName['accepted'] ?? done)
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }
    const body = { operationId: 'op-1', statusUrl: '/operations/op-1/status', ...times, ...states.shift() }
    sendOutcome(request, response, { type: 'success', body })
  })
  const { code, stdout, stderr } = await runHere(['call', 'POST', '/x', '--async', '--base-url', url])
  expect(code).toBe(0)
  expect(stderr).toBe('operation op-1 working: {"step":1}\noperation op-1 completed\n')
  expect(stdout).toMatch(/^201 created {2}correlation \S+, request r-1\n\{\n {2}"id": "opt-1"\n\}\n$/)
  expect(seen.map(({ line }) => line)).toEqual(['POST /x', ...Array(3).fill('GET /operations/op-1/status')])
})

test('an operation that failed ends with 1', async () => {
  const { url } = await startRecorder((request, response) => {
    if (request.method === 'POST') return sendOutcome(request, response, outcomesByName['accepted'] ?? done)
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }
    const result = { type: 'error', code: 'OPERATION_FAILED', message: 'It broke.' }
    const body = {
      operationId: 'op-1',
      status: 'failed',
      statusUrl: '/o',
      ...times,
      outcome: 'error',
      result,
    }
    sendOutcome(request, response, { type: 'success', body })
  })
  const { code, stdout } = await runHere(['call', 'POST', '/x', '--base-url', url, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    status: 500,
    outcome: 'error',
    body: { code: 'OPERATION_FAILED' },
  })
})

const notFound = (address: string) =>
  [
    `GET ${address} answers 404 or 405: it has no route, or the route leads to another service`,
    '"npx agentic check FILE --live" says which; "npx agentic routes add FILE --from URL" adds a missing route.',
    'The request was not sent again.',
    '',
  ].join('\n')

test('an operation whose status has no route is reported once, and not sent again', async () => {
  const { url, seen } = await startRecorder((request, response) =>
    sendOutcome(
      request,
      response,
      outcomesByName[request.method === 'POST' ? 'accepted' : 'missing'] ?? done,
    ),
  )
  const address = `${url}/operations/op-1/status`
  const { code, stdout, stderr } = await runHere(['call', 'POST', '/x', '--base-url', url])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^202 accepted /)
  expect(stderr).toBe(`accepted as op-1, but ${notFound(address)}`)
  const json = await runHere(['call', 'POST', '/x', '--base-url', url, '--json'])
  expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 202, outcome: 'accepted', unreachable: address })
  const once = ['POST /x', 'GET /operations/op-1/status']
  expect(seen.map(({ line }) => line)).toEqual([...once, ...once])
})

test('an approval whose address has no route is reported once, and not sent again', async () => {
  const { url, seen } = await startRecorder((request, response) => {
    if (request.method === 'GET') return sendOutcome(request, response, outcomesByName['missing'] ?? done)
    sendOutcome(request, response, approval, { Location: '/approvals/a-1' })
  })
  const { code, stdout, stderr } = await runHere(['call', 'POST', '/pay', '--base-url', url])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^412 approval_required /)
  expect(stderr).toContain(`an approval is required, but ${notFound(`${url}/approvals/a-1`)}`)
  expect(stderr).toContain('This needs an approval first: Spend 5000?\n')
  expect(stderr).not.toContain('Waiting')
  expect(seen.map(({ line }) => line)).toEqual(['POST /pay', 'GET /approvals/a-1'])
})

/** Requires an approval until it was read once. */
async function startApproving(decide: () => boolean) {
  return await startRecorder((request, response) => {
    if (request.url === '/approvals/a-1') {
      const state = decide() ? 'approved' : 'pending'
      return sendOutcome(request, response, { type: 'success', body: { state } })
    }
    if (request.headers['x-approval-token'] === 'apt-1') return sendOutcome(request, response, done)
    sendOutcome(request, response, approval, { Location: '/approvals/a-1' })
  })
}

test('an approval is told with who decides and where, waited for, and sent with the request', async () => {
  let looks = 0
  const { url, seen } = await startApproving(() => ++looks > 1)
  const { code, stdout, stderr } = await runHere(['call', 'POST', '/pay', '--base-url', url])
  expect(stderr).toBe(
    [
      'This needs an approval first: Spend 5000?',
      '  approver  Finance',
      `  where     ${url}/approvals/a-1`,
      `  they run  npx agentic approvals approve /approvals/a-1 --base-url ${url} (with a token of theirs)`,
      'Waiting for the decision. Ctrl-C ends the wait; nothing was done so far.',
      '',
    ].join('\n'),
  )
  expect(stdout).toMatch(/^201 created /)
  expect(code).toBe(0)
  expect(seen.map(({ line }) => line)).toEqual([
    'POST /pay',
    'GET /approvals/a-1',
    'GET /approvals/a-1',
    'POST /pay',
  ])
})

test('Ctrl-C ends the wait for an approval with 130', async () => {
  let looks = 0
  const { url } = await startApproving(() => {
    if (++looks > 1) child.kill('SIGINT')
    return false
  })
  const { child, ended } = spawnAgentic(['call', 'POST', '/pay', '--base-url', url])
  const { code, stdout, stderr } = await ended
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  expect(stderr).toMatch(/Waiting for the decision\.[^\n]*\n\nEnded by Ctrl-C\.\n$/)
})

test('--no-wait shows the first answer, whatever it is', async () => {
  const { url, seen } = await startApproving(() => true)
  const { code, stdout, stderr } = await runHere([
    'call',
    'POST',
    '/pay',
    '--base-url',
    url,
    '--no-wait',
    '--json',
  ])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    status: 412,
    outcome: 'approval_required',
    body: { ...approval, code: 'APPROVAL_REQUIRED' },
    location: '/approvals/a-1',
    trace: { requestId: 'r-1' },
    profile: 'v0.3',
  })
  expect(seen).toHaveLength(1)
})

test('a limit is shown at once, and not waited out', async () => {
  const { url, seen } = await startRecorder((request, response) =>
    sendOutcome(request, response, outcomesByName['limited'] ?? done),
  )
  const { code, stdout } = await runHere(['call', 'GET', '/x', '--base-url', url])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^429 error .*\nLIMIT_EXCEEDED: Too many streams\.\n {2}try again {2}after 60 s\n$/)
  expect(seen).toHaveLength(1)
})

test('events of a stream are printed as they come', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { url } = await startRecorder(async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).write('data: first\n\n')
    await released
    response.end('data: second\n\n')
  })
  const { child, ended } = spawnAgentic(['call', 'POST', '/stream', '--base-url', url])
  const chunks: string[] = []
  child.stdout.on('data', (chunk: string) => {
    chunks.push(chunk)
    release()
  })
  expect(await ended).toMatchObject({ code: 0, stdout: 'first\nsecond\n', stderr: '' })
  expect(chunks[0]).toBe('first\n')
})

test.each([
  ['success', 200, { story: 'ab' }, 0, /^a\nb\n200 success .*\n\{\n {2}"story": "ab"\n\}\n$/],
  [
    'conflict',
    409,
    { type: 'conflict', code: 'TAKEN', message: 'It is taken.' },
    1,
    /^a\nb\n409 conflict .*\nTAKEN: It is taken\.\n$/,
  ],
] as const)(
  'the last frame of a stream is shown as the outcome: %s',
  async (type, status, body, code, text) => {
    const { url } = await startRecorder((request, response) => {
      const trace = {
        correlationId: request.headers['x-correlation-id'],
        requestId: request.headers['x-request-id'],
      }
      const data = JSON.stringify({ type, status, body: { ...body, trace } })
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.end(`data: a\n\ndata: b\n\nevent: outcome\ndata: ${data}\n\n`)
    })
    const shown = await runHere(['call', 'POST', '/stories', '--base-url', url])
    expect(shown).toMatchObject({ code, stderr: '' })
    expect(shown.stdout).toMatch(text)
    const json = await runHere(['call', 'POST', '/stories', '--base-url', url, '--json'])
    const [first, second, ...rest] = json.stdout.split('\n')
    expect([first, second].map((line) => JSON.parse(line ?? '').data)).toEqual(['a', 'b'])
    expect(JSON.parse(rest.join('\n'))).toMatchObject({ status, outcome: type })
  },
)

test('a stream ends when nobody reads it any more', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const { url } = await startRecorder((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    const timer = setInterval(() => response.write('data: more\n\n'), 1)
    response.on('close', () => {
      clearInterval(timer)
      leave()
    })
  })
  const { child, ended } = spawnAgentic(['call', 'POST', '/stream', '--base-url', url])
  child.stdout.once('data', () => child.stdout.destroy())
  expect((await ended).code).toBe(0)
  await left
})

test('Ctrl-C in a stream ends it, and the service sees the caller leave', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const { url } = await startRecorder((_request, response) => {
    response
      .on('close', leave)
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .write('data: first\n\n')
  })
  const { child, ended } = spawnAgentic(['call', 'POST', '/stream', '--base-url', url])
  child.stdout.once('data', () => child.kill('SIGINT'))
  expect(await ended).toMatchObject({ code: 130, stdout: 'first\n', stderr: '\nEnded by Ctrl-C.\n' })
  await left
})

test('a service that does not answer in time is told', async () => {
  const { url } = await startRecorder(() => undefined)
  expect(await runHere(['call', 'POST', '/x', '--base-url', url, '--timeout', '0.05'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^TIMEOUT: there was no answer in time \(http:\/\/127\.0\.0\.1:\d+\/x\): [^\n]+\n$/,
    ),
  })
})

test('approvals wait ends in time with a service that never answers', async () => {
  const { url } = await startRecorder(() => new Promise(() => undefined))
  const waiting = ['approvals', 'wait', 'a-1', '--timeout', '0.1', '--base-url', url]
  const { code, stdout, stderr } = await runHere(waiting)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^ABORTED: the request was aborted/)
})
