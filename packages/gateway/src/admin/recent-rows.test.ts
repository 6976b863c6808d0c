import { expect, test } from 'vitest'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { createRecentExchanges } from './recent-exchanges.ts'
import { mergeRows, recentRows } from './recent-rows.ts'

/** Remembers requests: a correlation id, a method and path, and a status. */
function remember(sent: readonly (readonly [correlationId: string, target: string, status: number])[]) {
  const recent = createRecentExchanges(500)
  const firstAt = performance.now() - 5000
  for (const [index, [correlationId, target, status]] of sent.entries()) {
    const [method = '', path = ''] = target.split(' ')
    const result = { status, label: String(status), outcomeType: undefined }
    const trace = { correlationId, requestId: `r-${index}` }
    // More apart than the difference of the two clocks can change.
    recent.add({ ...makeExchange(), method, path, result, trace, startedAt: firstAt + index * 10 })
  }
  return recent
}

const all = { most: 100, untilMs: Number.MAX_SAFE_INTEGER }

const shortly = (rows: ReturnType<typeof recentRows>) =>
  rows.map(({ correlationId, requests }) => [
    correlationId,
    ...requests.map(({ method, path, status, count, requestId }) =>
      [method, path, status, `x${count}`, requestId].join(' '),
    ),
  ])

test('an exchange has its requests oldest first, and polls once', () => {
  const recent = remember([
    ['a', 'POST /things', 202],
    ['b', 'GET /things/1', 200],
    ['a', 'GET /operations/1/status', 200],
    ['a', 'GET /operations/1/status', 200],
    ['a', 'GET /operations/1/status', 404],
  ])
  expect(shortly(recentRows(recent, all))).toEqual([
    [
      'a',
      'POST /things 202 x1 r-0',
      'GET /operations/1/status 200 x2 r-3',
      'GET /operations/1/status 404 x1 r-4',
    ],
    ['b', 'GET /things/1 200 x1 r-1'],
  ])
})

test('of an exchange with many requests, those of its first operation are kept', () => {
  const others = Array.from({ length: 200 }, (_, index) => ['a', `GET /things/${index}`, 200] as const)
  const [row] = recentRows(remember([['a', 'POST /things', 412], ...others, ['a', 'POST /things', 201]]), all)
  expect(row?.requests).toHaveLength(41)
  expect(row?.requests.at(0)).toMatchObject({ path: '/things', status: 412 })
  expect(row?.requests.at(-1)).toMatchObject({ path: '/things', status: 201 })
})

test('the requests of an exchange in two processes are joined', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  const [known] = recentRows(remember([['a', 'GET /operations/1/status', 200]]), all)
  if (known === undefined) return expect.fail('no row')
  const row = (seconds: readonly number[], own: object) => ({
    ...known,
    at: at(Math.max(...seconds)),
    requests: known.requests.flatMap((request) =>
      seconds.map((second) => ({ ...request, at: at(second), lastAt: at(second), ...own })),
    ),
  })
  const post = { method: 'POST', path: '/things', status: 202 }
  const rows = [row([2, 4], {}), row([1], post), row([3], {}), { ...row([9], {}), correlationId: 'b' }]
  const merged = mergeRows(rows, 100)
  expect(mergeRows(rows, 1)).toEqual(merged.slice(0, 1))
  expect(merged.map(({ correlationId, at: newest }) => [correlationId, newest])).toEqual([
    ['b', at(9)],
    ['a', at(4)],
  ])
  expect(merged[1]?.requests).toMatchObject([
    { path: '/things', count: 1 },
    { path: '/operations/1/status', at: at(2), lastAt: at(4), count: 3 },
  ])
})

test('refusals with different codes are different requests, each with its code', () => {
  const recent = createRecentExchanges(10)
  const firstAt = performance.now() - 5000
  for (const [index, code] of ['RATE_LIMITED', 'RATE_LIMITED', 'TENANT_OVERLOADED'].entries()) {
    const reason = { code, rule: undefined, cause: undefined, step: 'rate-limits' }
    recent.add({ ...makeExchange(), reason, startedAt: firstAt + index * 10 })
  }
  const [row] = recentRows(recent, all)
  expect(row?.requests.map(({ code, count }) => [code, count])).toEqual([
    ['RATE_LIMITED', 2],
    ['TENANT_OVERLOADED', 1],
  ])
})

test('an exchange is that of its first tenant, and requests of another stay apart', () => {
  const recent = createRecentExchanges(10)
  const firstAt = performance.now() - 5000
  for (const [index, tenantId] of [undefined, 'acme', 'globex'].entries())
    recent.add({ ...makeExchange(), tenantId, startedAt: firstAt + index * 10 })
  const [row] = recentRows(recent, all)
  expect(row?.tenant).toBe('acme')
  expect(row?.requests.map(({ tenant, count }) => [tenant, count])).toEqual([
    ['', 1],
    ['acme', 1],
    ['globex', 1],
  ])
  expect(mergeRows(recentRows(recent, all), 10)).toEqual([row])
})
