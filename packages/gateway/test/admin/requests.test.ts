import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { sendItem, startAdmin } from './harness/start-admin.ts'

interface Page {
  readonly requests: readonly Record<string, unknown>[]
  readonly next: number | null
}

async function readPage(adminUrl: string, query = ''): Promise<Page> {
  return (await (await fetch(`${adminUrl}/api/requests${query}`)).json()) as Page
}

/** All pages, each asked for with the `next` of the one before. */
async function readAll(adminUrl: string): Promise<readonly Page[]> {
  const pages = [await readPage(adminUrl)]
  for (let next = pages[0]?.next; typeof next === 'number'; next = pages.at(-1)?.next)
    pages.push(await readPage(adminUrl, `?before=${next}`))
  return pages
}

test('remembered requests are listed newest first, with the reason of a refusal, though no feed was open', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1', '7')
  await (await fetch(`${url}/nowhere?token=secret`)).arrayBuffer()
  const { requests, next } = await eventually(
    () => readPage(adminUrl),
    ({ requests: found }) => found.length === 2,
  )
  const common = {
    at: expect.stringMatching(/^20.*Z$/),
    spanId: expect.stringMatching(/^[\da-f]{16}$/),
    method: 'GET',
    actor: '',
    durationMs: expect.any(Number),
    pluginMs: expect.any(Number),
    streamed: false,
  }
  expect({ requests, next }).toEqual({
    requests: [
      {
        ...common,
        route: 'unmatched',
        path: '/nowhere',
        status: 404,
        outcome: 'not_found',
        tenant: '',
        correlationId: expect.any(String),
        requestId: expect.any(String),
        upstreamMs: null,
        code: 'ROUTE_NOT_FOUND',
      },
      {
        ...common,
        route: 'read-item',
        path: '/items/7',
        status: 200,
        outcome: 'success',
        tenant: 'acme',
        correlationId: 'corr-1',
        requestId: 'req-corr-1',
        upstreamMs: expect.any(Number),
      },
    ],
    next: null,
  })
})

test('pages have 512 requests, none missing and none twice, while new ones end', async () => {
  const { adminUrl, url } = await startAdmin()
  const count = 1_100
  for (let sent = 0; sent < count; sent += 100)
    await Promise.all(Array.from({ length: 100 }, (_, index) => sendItem(url, `c-${sent + index}`)))
  await eventually(
    async () => (await readAll(adminUrl)).flatMap(({ requests }) => requests).length,
    (found) => found === count,
  )
  const first = await readPage(adminUrl)
  await sendItem(url, 'later')
  const second = await readPage(adminUrl, `?before=${first.next}`)
  const third = await readPage(adminUrl, `?before=${second.next}`)
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([512, 512, 76])
  expect(third.next).toBeNull()
  const rows = [first, second, third].flatMap(({ requests }) => requests)
  expect(new Set(rows.map(({ spanId }) => spanId)).size).toBe(count)
  expect(new Set(rows.map(({ correlationId }) => correlationId)).size).toBe(count)
})

test.each(['x', '-1', '1e3', 'NaN', 'Infinity', '', ' '])('before=%j is refused', async (before) => {
  const { adminUrl } = await startAdmin()
  const { status, body } = await sendRequest(`${adminUrl}/api/requests?before=${encodeURIComponent(before)}`)
  expect([status, JSON.parse(body.toString())]).toEqual([
    422,
    { code: 'INVALID', message: 'before is not the next of an answer.' },
  ])
})
