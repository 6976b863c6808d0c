import { expect, test } from 'vitest'
import { readRecent } from '../api/recent-exchanges.ts'
import { everything, findMatches, type Search } from '../search/search.ts'
import { exportedExchange, listExchanges, wordsOf } from './listed-exchange.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 16, 9, 0, second)).toISOString()

const request = (second: number, more: object) => ({
  requestId: `r-${second}`,
  method: 'POST',
  path: '/campaigns/1/optimizations',
  route: 'optimize',
  actor: 'alice',
  status: 201,
  outcome: 'created',
  at: at(second),
  lastAt: at(second),
  endedAt: at(second + 1),
  count: 1,
  ...more,
})

const exchanges = listExchanges(
  readRecent({
    exchanges: [
      {
        correlationId: 'C-waits',
        at: at(20),
        tenant: 'acme',
        parts: ['gateway', 'campaigns'],
        requests: [
          request(10, {
            status: 403,
            outcome: 'forbidden',
            code: 'INSUFFICIENT_SCOPE',
            actor: 'bob',
            path: '/other',
          }),
          request(20, { status: 412, outcome: 'approval_required' }),
        ],
        ended: [],
      },
      {
        correlationId: 'C-done',
        at: at(30),
        tenant: 'globex',
        parts: [],
        requests: [request(30, {})],
        ended: [],
      },
      { correlationId: 'C-empty', requests: [], ended: [] },
    ],
  }),
)

const found = (search: Partial<Search>) =>
  findMatches(exchanges, { ...everything, ...search }, wordsOf).map(({ exchange }) => exchange.correlationId)

test.each<readonly [Partial<Search>, readonly string[]]>([
  [{ outcome: 'done' }, ['C-done']],
  [{ code: 'INSUFFICIENT_SCOPE' }, ['C-waits']],
  [{ route: 'optimize' }, ['C-waits', 'C-done']],
  [{ tenant: 'globex' }, ['C-done']],
  [{ actor: 'bob' }, ['C-waits']],
  [{ slower: '5 s' }, ['C-waits']],
  [{ text: 'c-done' }, ['C-done']],
  [{ text: 'r-20 campaigns' }, ['C-waits']],
  [{ text: 'insufficient' }, ['C-waits']],
])('%j finds %j', (search, ids) => {
  expect(found(search)).toEqual(ids)
})

test('an exported exchange has its state, its time and the values of its requests', () => {
  expect(exchanges.map(exportedExchange)[1]).toEqual({
    correlationId: 'C-done',
    name: 'POST optimize',
    state: 'created',
    outcome: 'created',
    status: 201,
    startedAt: at(30),
    durationMs: 1000,
    tenant: 'globex',
    actors: ['alice'],
    routes: ['optimize'],
    codes: [],
    parts: [],
  })
})

test('an exchange without times has no time, not 1970', () => {
  const [only] = listExchanges(
    readRecent({ exchanges: [{ requests: [request(0, { at: '', endedAt: '' })], ended: [] }] }),
  )
  expect(only === undefined ? undefined : exportedExchange(only)).toMatchObject({
    startedAt: null,
    durationMs: null,
  })
})

test('an exchange that has not changed keeps its entry', () => {
  const recent = readRecent({ exchanges: [{ requests: [request(0, {})], ended: [] }] })
  const known = new WeakMap()
  const [first] = listExchanges(recent, known)
  expect(listExchanges(recent, known)[0]).toBe(first)
  expect(listExchanges(recent)[0]).toEqual(first)
})
