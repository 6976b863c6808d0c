import { expect, it } from 'vitest'
import { EventBoundary } from './event-stream.ts'

it.each([
  ['nothing', [], ''],
  ['a whole event', ['data: 1\n\n'], ''],
  ['a whole event by carriage returns', ['data: 1\r\r'], ''],
  ['a whole event by both', ['data: 1\r\n\r\n'], ''],
  ['a line end that comes in two chunks', ['data: 1\r\n\r', '\n'], ''],
  ['an open line', ['data: 1'], '\n\n'],
  ['an open event', ['data: 1\n'], '\n'],
  ['an open event by both', ['data: 1\r\n'], '\n'],
  ['an open event behind a bare carriage return', ['data: 1\r'], '\n\n'],
  ['an open line in a second chunk', ['data: 1\n\n', 'd'], '\n\n'],
])('closes what %s leaves open', (_title, chunks, closing) => {
  const boundary = new EventBoundary()
  for (const chunk of chunks) boundary.chunk(Buffer.from(chunk))
  expect(boundary.closing()).toBe(closing)
})
