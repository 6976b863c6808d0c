import { expect, test } from 'vitest'
import { readRecord } from '../api/audit-records.ts'
import { isStream, streamEnd, streamNote } from './stream-facts.ts'

const of = (attributes: object) => readRecord({ attributes })

test.each([
  [{ events: '3', first_event_ms: '12' }, '3 events, the first after 12 ms'],
  [{ events: '1', first_event_ms: '0' }, '1 event, the first after 0 ms'],
  [{ events: '0' }, '0 events'],
  [{ events: 'many' }, undefined],
  [{ status: '200' }, undefined],
])('%j is told as %j', (attributes, note) => {
  expect(streamNote(of(attributes))).toBe(note)
})

test('the end of a stream is told in words', () => {
  const told = ['complete', 'client_disconnect', 'error', 'x'].map((end) => streamEnd(of({ end })))
  expect(told).toEqual(['complete', 'the client left', 'broken', ''])
})

test('a record with a count of events is that of a stream', () => {
  expect([isStream(of({ events: '0' })), isStream(of({}))]).toEqual([true, false])
})
