import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { afterEach, expect, it } from 'vitest'
import { findAtGateway, findInFiles } from './find-requests.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function fileOf(...lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'explain-'))
  folders.push(folder)
  const file = join(folder, 'audit.jsonl')
  await writeFile(file, lines.join('\n'))
  return file
}

const record = (more: object = {}) => ({
  part: 'gateway',
  request_id: 'req-1',
  correlation_id: 'corr-1',
  operation: 'read-item',
  timestamp: '2026-11-16T12:00:00.000Z',
  attributes: {},
  ...more,
})

async function gatewayOf(answer: (url: URL) => unknown): Promise<{ admin: string; token: undefined }> {
  const { url: admin } = await startServer(({ url = '' }, response) => {
    const body = answer(new URL(url, 'http://127.0.0.1'))
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}))
  })
  return { admin, token: undefined }
}

/** Two tenants have sent the same ids. */
const spans = [
  { spanId: 'a', tenant: 'acme', status: 200 },
  { spanId: 'b', tenant: 'globex', status: 403 },
]
const common = { requestId: 'req-1', correlationId: 'corr-1', startedAt: '2026-11-16T12:00:00.000Z' }

it('explains each of several requests with one id by its own steps', async () => {
  const source = await gatewayOf(({ pathname, searchParams }) => {
    if (pathname === '/api/records')
      return { records: spans.map(({ spanId }) => record({ attributes: { span_id: spanId } })) }
    const spanId = searchParams.get('span_id') ?? 'b'
    return { ...common, ...spans.find((span) => span.spanId === spanId), steps: [{ name: spanId }] }
  })
  const found = await findAtGateway('req-1', source)
  expect(found).toMatchObject({
    requests: [
      { spanId: 'a', tenant: 'acme', steps: [{ name: 'a' }] },
      { spanId: 'b', tenant: 'globex', steps: [{ name: 'b' }] },
    ],
  })
})

it('never shows the steps of another request with the same id', async () => {
  const source = await gatewayOf(({ pathname }) =>
    pathname === '/api/records'
      ? { records: spans.map(({ spanId }) => record({ attributes: { span_id: spanId } })) }
      : { ...common, ...spans[1], steps: [{ name: 'b' }] },
  )
  const found = await findAtGateway('req-1', source)
  const requests = 'requests' in found ? found.requests : []
  expect(requests.map(({ spanId, steps }) => [spanId, steps?.length])).toEqual([
    ['a', undefined],
    ['b', 1],
  ])
})

it('tells the steps of the request that was asked for, however many came before it', async () => {
  const records = Array.from({ length: 80 }, (_, index) => {
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString()
    return record({ request_id: `req-${index}`, timestamp, attributes: { span_id: `span-${index}` } })
  })
  const source = await gatewayOf(({ pathname }) => {
    if (pathname === '/api/records') return { records }
    const index = pathname.replace(/\D+/, '')
    const startedAt = records[Number(index)]?.timestamp
    return {
      ...common,
      requestId: `req-${index}`,
      spanId: `span-${index}`,
      startedAt,
      steps: [{ name: 'route' }],
    }
  })
  const found = await findAtGateway('req-79', source)
  const requests = 'requests' in found ? found.requests : []
  expect(requests).toHaveLength(80)
  expect(requests.at(-1)).toMatchObject({ requestId: 'req-79', steps: [{ name: 'route' }] })
  expect(requests.filter(({ steps }) => steps !== undefined)).toHaveLength(51)
})

it('skips damaged lines of a file and tells their number', async () => {
  const file = await fileOf(JSON.stringify(record()), '{"request_id":"req-1","corr', '', 'a checkpoint')
  expect(await findInFiles('req-1', [file])).toMatchObject({
    requests: [{ requestId: 'req-1' }],
    notes: [`${file}: damaged lines that were skipped: 1`],
  })
})

it('reads records whose members have other types', async () => {
  const odd = { toString: 1, valueOf: 1 }
  const file = await fileOf(
    JSON.stringify(record({ operation: odd, attributes: { duration_ms: odd, status: odd, code: odd } })),
    JSON.stringify(record({ attributes: null, timestamp: [] })),
  )
  const found = await findInFiles('corr-1', [file])
  expect(found).toMatchObject({ requests: [{ route: '' }, { startedAt: '' }] })
  expect('requests' in found && found.requests[0]).not.toHaveProperty('status')
})
