import { expect, test } from 'vitest'
import { readRow } from '../api/feed-events.ts'
import { addRows, exportedRow, MAX_ROWS, wordsOf } from './row-list.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 16, 9, 0, second)).toISOString()
const row = (spanId: string, second: number, more: object = {}) =>
  readRow({ spanId, at: at(second), durationMs: 5, ...more })

test('rows are newest first by their end, each once, and known rows stay the same objects', () => {
  const known = [row('c', 30), row('a', 10)]
  const rows = addRows(known, [
    row('a', 10),
    row('b', 20),
    row('b', 20),
    row('slow', 0, { durationMs: 40_000 }),
  ])
  expect(rows.map(({ spanId }) => spanId)).toEqual(['slow', 'c', 'b', 'a'])
  expect(rows[1]).toBe(known[0])
  expect(rows[3]).toBe(known[1])
})

test('a list without anything new stays the same list', () => {
  const known = [row('a', 10)]
  expect(addRows(known, [row('a', 10)])).toBe(known)
  expect(addRows(known, [])).toBe(known)
})

test('the newest five thousand rows are kept', () => {
  const many = Array.from({ length: 6_000 }, (_, index) => row(String(index), index))
  const rows = addRows(addRows([], many.slice(0, 3_000)), many.slice(3_000))
  expect([rows.length, rows[0]?.spanId, rows.at(-1)?.spanId]).toEqual([MAX_ROWS, '5999', '1000'])
})

test('a row without a time is the oldest', () => {
  expect(addRows([row('a', 1)], [readRow({ spanId: 'b' })]).map(({ spanId }) => spanId)).toEqual(['a', 'b'])
})

test('a search looks at ids, path, status, names, code, rule and cause', () => {
  const given = {
    method: 'GET',
    path: '/x',
    status: 502,
    route: 'r',
    tenant: 't',
    actor: 'a',
    code: 'C',
    rule: 'schema.type',
    cause: 'ECONNREFUSED',
    correlationId: 'corr',
    requestId: 'req',
  }
  for (const value of Object.values(given)) expect(wordsOf(readRow(given))).toContain(String(value))
})

test('an exported row has the members of the API, without empty ones', () => {
  const given = { spanId: 's', at: at(1), status: 200, durationMs: 5, upstreamMs: null, streamed: false }
  expect(exportedRow(readRow(given))).toEqual({ ...given, pluginMs: 0 })
})
