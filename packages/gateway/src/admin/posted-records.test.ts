import { getHeapStatistics } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { collectGarbage } from '../../test/harness/collect-garbage.ts'
import { type PartRecord, POSTED_LIMITS, PostedRecords } from './posted-records.ts'

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

test('too many records remove the oldest, repeatedly', () => {
  const records = new PostedRecords({ records: 3, bytes: 1_000_000 })
  for (let index = 0; index < 100; index += 1) records.add([record(String(index))])
  expect(ids(records.all())).toEqual(['97', '98', '99'])
  records.add(['a', 'b', 'c', 'd'].map((id) => record(id)))
  expect(ids(records.all())).toEqual(['b', 'c', 'd'])
})

test('a hundred thousand ids leave the newest twenty thousand', () => {
  const records = new PostedRecords()
  for (let index = 0; index < 100_000; index += 1) records.add([record(String(index))])
  const kept = ids(records.all())
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([20_000, '80000', '99999'])
})

test('too large records remove the oldest', () => {
  const records = new PostedRecords({ records: 100, bytes: 10_000 })
  records.add([record('a'), record('b', 'x'.repeat(3_000)), record('c', 'x'.repeat(3_000))])
  expect(ids(records.all())).toEqual(['c'])
})

test('a single record above the limit is not kept', () => {
  const records = new PostedRecords({ records: 100, bytes: 1_000 })
  records.add([record('a'), record('b', 'x'.repeat(3_000))])
  expect(ids(records.all())).toEqual([])
})

describe('what is kept takes no more memory than is promised', () => {
  // As the JSON of a post gives them: texts that share nothing with each other.
  const text = (length: number, seed: number) => Buffer.from(String(seed).padStart(length, 'x')).toString()
  const attributes = (count: number, length: number, seed: number) => {
    const names = Array.from({ length: count }, (_, index) => text(length, seed * count + index))
    return Object.assign(
      Object.create(null),
      Object.fromEntries(names.map((name) => [name, text(length, seed)])),
    )
  }
  const heldBytes = () => {
    collectGarbage()
    return getHeapStatistics().used_heap_size
  }

  test.each([
    { kind: 'large', count: 64, length: 1_000, posted: 600 },
    { kind: 'small', count: 64, length: 8, posted: 6_000 },
    { kind: 'bare', count: 0, length: 0, posted: 60_000 },
  ])('when $posted $kind records come', ({ count, length, posted }) => {
    const records = new PostedRecords()
    const before = heldBytes()
    for (let index = 0; index < posted; index += 1)
      records.add([{ ...record(String(index)), attributes: attributes(count, length, index) }])
    expect(heldBytes() - before).toBeLessThan(POSTED_LIMITS.bytes)
    expect([...records.all()].at(-1)?.correlation_id).toBe(String(posted - 1))
  })
})
