import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, onTestFinished, test } from 'vitest'
import { runConformance, type ScenarioInput } from '../src/index.ts'

interface Recorded {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A service that records its requests and answers by path. */
async function startRecorder(answer: (path: string, count: number) => object | number) {
  const requests: Recorded[] = []
  const { url } = await startServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    const count = requests.filter(({ line }) => line.endsWith(` ${request.url}`)).length
    const given = answer(request.url ?? '', count)
    const [status, content] = typeof given === 'number' ? [given, {}] : [200, given]
    response
      .writeHead(status, { 'content-type': 'application/json', location: '/there/7' })
      .end(JSON.stringify(content))
  })
  return { url, requests }
}

const only = ['row-success']

test('steps capture values of the body and the head, which later requests use; uuid is fresh each time', async () => {
  const { url, requests } = await startRecorder((path) =>
    path === '/things' ? { items: [{ id: 1 }, { id: 'x y' }] } : {},
  )
  const scenario: ScenarioInput = {
    outcomes: {
      success: {
        setup: [
          {
            method: 'POST',
            path: '/things',
            body: { name: 'n-{{uuid}}', list: ['{{uuid}}'] },
            capture: { first: '$.items[0].id', last: '$.items[-1].id', place: 'header:Location' },
          },
        ],
        request: { method: 'GET', path: '/at{{place}}', headers: { 'X-Of': '{{first}} {{ last }}' } },
        cleanup: [{ method: 'DELETE', path: '/things/{{first}}' }],
      },
    },
  }
  const report = await runConformance({ baseUrl: url, scenario, rules: only })
  expect(report.problems).toEqual([])
  expect(requests.map(({ line }) => line)).toEqual(['POST /things', 'GET /at/there/7', 'DELETE /things/1'])
  expect(requests[1]?.headers['x-of']).toBe('1 x y')
  const { name, list } = JSON.parse(requests[0]?.body ?? '')
  expect(name).toMatch(/^n-[0-9a-f-]{36}$/)
  expect(name).not.toBe(`n-${list[0]}`)
})

test('a step is repeated until a value is there', async () => {
  const { url, requests } = await startRecorder((_, count) => ({
    status: count < 3 ? 'working' : 'completed',
  }))
  const until = { path: '$.status', in: ['failed', 'completed'] }
  const setup = [{ method: 'GET' as const, path: '/operation', until }]
  const scenario = { outcomes: { success: { setup, request: { method: 'GET' as const, path: '/' } } } }
  const { counts } = await runConformance({ baseUrl: url, scenario, rules: only })
  expect(counts).toMatchObject({ pass: 1, fail: 0 })
  expect(requests).toHaveLength(4)
})

test.each([
  { title: 'fails', step: { path: '/500' }, problem: 'setup step 1 expects a status of 2xx and got 500' },
  {
    title: 'has another outcome',
    step: { path: '/', expect: ['created', 'conflict'] as const },
    problem: 'setup step 1 expects created or conflict and got 200',
  },
  {
    title: 'has not the value',
    step: { path: '/', capture: { id: '$.id' } },
    problem: 'setup step 1 has no text or number at $.id',
  },
  {
    title: 'names a value that is not there',
    step: { path: '/{{nothing}}' },
    problem: 'no step has captured {{nothing}}',
  },
  {
    title: 'never gets there',
    step: { path: '/', until: { path: '$.status', in: ['done'], seconds: 0.2 } },
    problem: 'setup step 1 waited 0.2 s in vain',
  },
])(
  'a step that $title is a problem of the scenario, and the outcome is not observed',
  async ({ step, problem }) => {
    const { url } = await startRecorder((path) => (path === '/500' ? 500 : {}))
    const { expect: wanted, ...rest } = { expect: undefined, ...step }
    const setup = [{ method: 'GET' as const, ...rest, ...(wanted !== undefined && { expect: [...wanted] }) }]
    const scenario = { outcomes: { success: { setup, request: { method: 'GET' as const, path: '/' } } } }
    const report = await runConformance({ baseUrl: url, scenario, rules: only })
    expect(report.problems).toEqual([`outcomes.success: ${problem}`])
    expect(report.rows).toMatchObject([
      { rule: 'row-success', outcome: 'success', result: 'not_observed', reason: problem },
    ])
    expect(report.outcomes.observed).toBe(0)
  },
)

test('tokens come from a variable, a command, a file and an address, each once, and are in no report', async () => {
  const { url, requests } = await startRecorder((path) =>
    path === '/token' ? { access_token: 'from-address' } : 404,
  )
  const folder = mkdtempSync(join(tmpdir(), 'agentic-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'token.txt'), 'from-file\n')
  const read = (token: string) => ({ request: { method: 'GET' as const, path: `/${token}`, token } })
  const report = await runConformance({
    baseUrl: url,
    folder,
    env: { MINE: 'from-variable', PATH: process.env['PATH'] },
    scenario: {
      tokens: {
        variable: { env: 'MINE' },
        command: { command: 'echo from-command' },
        file: { file: 'token.txt' },
        address: { url: `${url}/token`, form: { sub: 'alice' } },
      },
      outcomes: {
        success: read('variable'),
        created: read('command'),
        conflict: read('file'),
        error: read('address'),
        forbidden: read('none'),
      },
    },
    rules: ['row-success', 'row-created', 'row-conflict', 'row-error', 'row-forbidden'],
  })
  const sent = requests.map(({ line, headers }) => `${line} ${headers.authorization}`)
  expect(sent).toEqual([
    'GET /variable Bearer from-variable',
    'GET /command Bearer from-command',
    'GET /none undefined',
    'GET /file Bearer from-file',
    'POST /token undefined',
    'GET /address Bearer from-address',
  ])
  expect(JSON.stringify(report)).not.toMatch(/from-(variable|command|file|address)/)
  expect(report.counts.fail).toBe(5)
})

test.each([
  { env: 'NOT_SET' },
  { command: 'exit 3' },
  { file: 'nowhere' },
  { url: 'http://127.0.0.1:9/token' },
])('a token that cannot be read from %o is a problem, told without anything secret', async (source) => {
  const { url, requests } = await startRecorder(() => ({}))
  const scenario = {
    tokens: { mine: source },
    token: 'mine',
    outcomes: { success: { request: { method: 'GET' as const, path: '/' } } },
  }
  const { problems } = await runConformance({ baseUrl: url, scenario, rules: only })
  expect(problems).toEqual([
    `outcomes.success: the token mine cannot be read from its ${Object.keys(source)[0]} (tokens.mine.${Object.keys(source)[0]})`,
  ])
  expect(requests).toEqual([])
})

test('a statusUrl at another host is not asked, since the token would go there', async () => {
  const other = await startRecorder(() => ({}))
  const { url } = await startRecorder(() => ({ statusUrl: `${other.url}/op/status` }))
  const scenario = { outcomes: { accepted: { request: { method: 'POST' as const, path: '/jobs' } } } }
  const { rows } = await runConformance({ baseUrl: url, scenario, rules: ['status-url-answers'] })
  expect(rows).toMatchObject([{ result: 'not_observed', reason: 'the address to poll is at another origin' }])
  expect(other.requests).toEqual([])
})
