import { expect, test } from 'vitest'
import { acceptsType } from './accept.ts'

test.each([
  [undefined, false, false],
  ['', false, false],
  ['text/event-stream', true, true],
  ['TEXT/Event-Stream ; charset=utf-8', true, true],
  ['application/json, text/event-stream;q=0.1', true, true],
  ['text/event-stream;q=0', false, false],
  ['text/event-stream; a=b; Q=0.000, application/json', false, false],
  ['text/event-stream-2', false, false],
  ['text/*', false, true],
  ['application/json, */*;q=0.8', false, true],
  ['*/*;q=0', false, false],
  ['text/event-stream;q=0, */*', false, false],
  ['text/*;q=0, */*', false, false],
  ['text/event-stream, */*;q=0', true, true],
])('%s names an event stream: %s, with wildcards: %s', (accept, byName, withWildcards) => {
  expect(acceptsType(accept, 'text/event-stream')).toBe(byName)
  expect(acceptsType(accept, 'text/event-stream', { wildcards: true })).toBe(withWildcards)
})
