import { expect, test } from 'vitest'
import { isInUuid } from './uuid.ts'

const uuid = '1234567a-0912-4567-8901-abcdef012345'

test.each([
  [uuid, '0912-4567-8901', true],
  [`opt-${uuid}/x`, '0912-4567-8901', true],
  [uuid.toUpperCase(), '4567-8901', true],
  [uuid, uuid, true],
  [uuid, '1234567a-0', true],
  [uuid, '8901-abcdef012345', true],
  // Without a hyphen of the UUID, beyond it, or of another form.
  [uuid, 'abcdef012345', false],
  [`${uuid}-1`, `8901-abcdef012345-1`, false],
  [`1-${uuid}`, '1-1234567a', false],
  [`1${uuid}`, '0912-4567-8901', false],
  [`${uuid}f`, '0912-4567-8901', false],
  [uuid.replace('-4567', '-9567'), '0912-9567-8901', false],
  [uuid.replace('-8901', '-7901'), '0912-4567-7901', false],
  ['12345678-0912-4567-8901-123456012345', '0912-4567-8901', false],
  ['call 0912-4567-8901 now', '0912-4567-8901', false],
  [`${uuid} 0912-4567-8901`, `${uuid} 0912-4567-8901`, false],
])('%j, %j: %j', (text, part, expected) => {
  const start = text.indexOf(part)
  expect(isInUuid(text, { start, end: start + part.length })).toBe(expected)
})
