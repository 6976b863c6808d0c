import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished, test } from 'vitest'
import { isReached } from '../../chaos/chaos-run.ts'
import { disagreements, disagreementsBetween } from '../../chaos/differential/compare.ts'
import { comparePaths } from '../../chaos/differential/paths.ts'
import { createStrictReader, type SeenRequest } from '../../chaos/differential/strict-requests.ts'
import { run } from '../../chaos/runs/differential.ts'
import { vectors } from '../../chaos/vectors/vectors.ts'
import { expectReached, missed, runShort } from './run-short.ts'

const needed = ['nginx', 'haproxy', 'apache2', 'taskset'] as const

testWith(
  needed,
  'Node, nginx, HAProxy and Apache see each smuggling vector as the gateway says it sent it',
  async () => expectReached(await runShort(run)),
)

testWith(
  needed,
  'without the gateway the same servers disagree, so that the comparison is worth something',
  async () => {
    const names = missed(await runShort(run, { vectors: 30, direct: 1 })).map((text) => text.split(':')[0])
    expect(names).toContain('framing disagreements')
    expect(names).toContain('refused vectors that reached a server')
  },
)

test('Express, Fastify and Hono serve a spelled path by the route that the gateway has judged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-paths-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { signal } = new AbortController()
  const figures = await comparePaths({ scale: {}, seed: 1, folder, tell: () => undefined, signal }, 700)
  expect(figures.filter((figure) => !isReached(figure))).toEqual([])
})

test('no two vectors are the same', () => {
  expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
  expect(new Set(vectors.map(({ text }) => text)).size).toBe(vectors.length)
})

const id = ['x-request-id', 'r'] as const
const sent: SeenRequest = { method: 'GET', target: '/r0/v001', headers: [id], framing: 'none', body: '' }
const observation = { server: 's', said: ['r'], sent: [sent], seen: [sent], logged: ['r'] }

test.each([
  ['nothing', {}, []],
  ['an answer less', { said: [] }, ['s: answered 0 requests where 1 were sent']],
  ['a request more', { seen: [sent, sent] }, ['s: seen 2 requests where 1 were sent']],
  ['a request that is not logged', { logged: [] }, ['s: logged 0 requests where 1 were sent']],
  ['another body', { seen: [{ ...sent, body: 'x' }] }, ['s: another body']],
  ['another target', { seen: [{ ...sent, target: '/' }] }, ['s: another target']],
  [
    'another tenant',
    { seen: [{ ...sent, headers: [id, ['x-tenant-id', 'evil'] as const] }] },
    ['s: another x-tenant-id'],
  ],
])('a disagreement is seen: %s', (_title, change, expected) => {
  expect(disagreements({ ...observation, ...change })).toEqual(expected)
})

test('servers with different requests disagree, regardless of their own paths', () => {
  const other = { ...observation, server: 't', seen: [{ ...sent, target: '/r1/v001' }] }
  expect(disagreementsBetween([observation, other])).toEqual([])
  expect(disagreementsBetween([observation, { ...other, seen: [] }])).toEqual([
    't and s saw different requests',
  ])
})

function read(text: string) {
  const requests: SeenRequest[] = []
  const faults: string[] = []
  const reader = createStrictReader({
    request: (request) => void requests.push(request),
    fault: (reason) => void faults.push(reason),
  })
  for (const byte of Buffer.from(text, 'latin1')) reader.add(Buffer.from([byte]))
  return { bodies: requests.map(({ body }) => body), faulty: faults.length > 0 }
}

test.each([
  [
    'requests of every framing',
    'GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\n\r\n',
    ['', 'ab', 'c'],
    false,
  ],
  ['half a body', 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\na', [], false],
  ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab', [], true],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    [],
    true,
  ],
  ['a trailer', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n', [], true],
  ['an extension', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0;a\r\n\r\n', [], true],
  ['bare line feeds', 'GET / HTTP/1.1\n\n', [], true],
  ['a value on two lines', 'GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n', [], true],
])('the strict reader takes plain HTTP and nothing else: %s', (_title, text, bodies, faulty) => {
  expect(read(text)).toEqual({ bodies, faulty })
})
