import { expect, test } from 'vitest'
import { createPostedRecords, type PartRecord } from './posted-records.ts'

function record(correlationId: string, detail = ''): PartRecord {
  return {
    part: 'p',
    event_type: 'e',
    tenant_id: '',
    actor_id: '',
    request_id: '',
    correlation_id: correlationId,
    operation: '',
    resource_id: '',
    outcome: '',
    timestamp: '2026-01-01T00:00:00Z',
    attributes: { detail },
  }
}

const ids = (records: Iterable<PartRecord>) => [...records].map(({ correlation_id }) => correlation_id)

test('the oldest make room when there are too many, over and over', () => {
  const records = createPostedRecords({ records: 3, bytes: 1_000_000 })
  for (let index = 0; index < 100; index += 1) records.add([record(String(index))])
  expect(ids(records.all())).toEqual(['97', '98', '99'])
  records.add(['a', 'b', 'c', 'd'].map((id) => record(id)))
  expect(ids(records.all())).toEqual(['b', 'c', 'd'])
})

test('a hundred thousand ids leave the newest twenty thousand', () => {
  const records = createPostedRecords()
  for (let index = 0; index < 100_000; index += 1) records.add([record(String(index))])
  const kept = ids(records.all())
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([20_000, '80000', '99999'])
})

test('the oldest make room when they are too large together', () => {
  const records = createPostedRecords({ records: 100, bytes: 10_000 })
  records.add([record('a'), record('b', 'x'.repeat(3_000)), record('c', 'x'.repeat(3_000))])
  expect(ids(records.all())).toEqual(['c'])
})

test('one that is too large by itself is not kept', () => {
  const records = createPostedRecords({ records: 100, bytes: 1_000 })
  records.add([record('a'), record('b', 'x'.repeat(3_000))])
  expect(ids(records.all())).toEqual([])
})
