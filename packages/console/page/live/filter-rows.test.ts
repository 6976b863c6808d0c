import { expect, test } from 'vitest'
import { type RequestRow, readRow } from '../api/feed-events.ts'
import { everything, filterRows, isEmpty, parseFilter, valuesOf } from './filter-rows.ts'

const rows: readonly RequestRow[] = [
  { route: 'a', outcome: 'created', tenant: 'acme', path: '/a/1', actor: 'alice', correlationId: 'C-1' },
  { route: 'a', outcome: 'error', tenant: 'globex', path: '/a/2', actor: 'carol', correlationId: 'C-2' },
  { route: 'b', outcome: 'success', tenant: 'acme', path: '/b/3', actor: 'bob', correlationId: 'C-3' },
].map(readRow)

const paths = (filter: Partial<typeof everything>) =>
  filterRows(rows, { ...everything, ...filter }).map(({ path }) => path)

test('no filter lets everything through, as the same list', () => {
  expect(filterRows(rows, everything)).toBe(rows)
  expect(isEmpty({ ...everything, text: '  ' })).toBe(true)
})

test('each part of a filter narrows, and all of them together', () => {
  expect(paths({ route: 'a' })).toEqual(['/a/1', '/a/2'])
  expect(paths({ outcome: 'success' })).toEqual(['/b/3'])
  expect(paths({ outcome: 'done' })).toEqual(['/a/1', '/b/3'])
  expect(paths({ tenant: 'globex' })).toEqual(['/a/2'])
  expect(paths({ text: ' c-3 ' })).toEqual(['/b/3'])
  expect(paths({ text: 'ALICE' })).toEqual(['/a/1'])
  expect(paths({ route: 'a', outcome: 'done', tenant: 'acme', text: '/a' })).toEqual(['/a/1'])
  expect(paths({ route: 'b', tenant: 'globex' })).toEqual([])
})

test('the values of a column are each named once, in order', () => {
  expect(valuesOf(rows, 'tenant')).toEqual(['acme', 'globex'])
  expect(valuesOf([], 'route')).toEqual([])
})

test('a filter that was kept is read back, and rubbish is no filter', () => {
  const filter = { route: 'a', outcome: 'done', tenant: 'acme', text: 'x' }
  expect(parseFilter(JSON.stringify(filter))).toEqual(filter)
  for (const text of ['', '[', 'null', '{"route":7}']) expect(parseFilter(text)).toEqual(everything)
})
