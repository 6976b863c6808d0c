import { expect, test } from 'vitest'
import { eventTimes } from './event-clock.ts'

test.each([
  { title: 'a blank line ends an event', pieces: ['data: 1\n', '\ndata: 2\n\n'], times: [1, 1] },
  { title: 'a comment is no event', pieces: [': hello\n\n', 'data: 1\n\n'], times: [1] },
  { title: 'an event without data is none', pieces: ['event: a\nid: 1\n\n', 'data\n\n'], times: [1] },
  { title: 'one line end is not two', pieces: ['data: 1\r\n', 'data: 2\r\n', '\r\n'], times: [2] },
  {
    title: 'a line end may come in halves',
    pieces: ['data: 1\r', '\n', '\r', '\n', 'data: 2\r'],
    times: [2],
  },
  { title: 'a field may come in pieces', pieces: ['da', 'ta', ': 1', '\n', '\n'], times: [4] },
  { title: 'what is not ended does not count', pieces: ['data: 1\n'], times: [] },
])('$title', ({ pieces, times }) => {
  expect(eventTimes(pieces.map((text, atMs) => ({ atMs, text })))).toEqual(times)
})
