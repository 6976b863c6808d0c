import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor, writeCursor } from './page-cursor.ts'

const place = { createdAt: '2026-05-04T10:00:00.123Z', id: 'opt-11111111-2222-3333-4444-555555555555' }

test('a cursor that was written is read again', () => {
  expect(readCursor(writeCursor(place))).toEqual(place)
})

test.each([
  ['nothing', ''],
  ['no base64', '!'],
  ['padded', `${writeCursor(place)}=`],
  ['longer than any', 'a'.repeat(100_000)],
  ['a date that is none', writeCursor({ ...place, createdAt: '2026-99-99T10:00:00.123Z' })],
  ['an id that is none', writeCursor({ ...place, id: `opt-${"'".repeat(36)}` })],
  ['another array', Buffer.from('[1,2]').toString('base64url')],
])('a cursor that was not is refused: %s', (_, text) => {
  expect(readCursor(text)).toBeUndefined()
})

test('no text breaks it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => void expect(readCursor(text)).toBeUndefined()),
  )
})
