import { TransportError } from '@agentic-rest/client'
import { expect, test } from 'vitest'
import { endOf } from './exchange.ts'

const running = { isStopped: false, endsTyped: true, steps: [], progress: undefined }
const unended = (cause?: unknown) =>
  new TransportError('STREAM_FAILED', 'the stream ended without its outcome', { cause })

test('a stream without its last frame is a fault where the service promises one', () => {
  expect(endOf(unended(), running)).toEqual({
    fault: { title: 'The stream has no outcome.', detail: 'the stream ended without its outcome' },
  })
})

test('a foreign stream needs no last frame, and is a fault only if it breaks', () => {
  expect(endOf(unended(), { ...running, endsTyped: false })).toEqual({})
  expect(endOf(unended(new Error('cut')), { ...running, endsTyped: false })).toHaveProperty('fault')
})

test('an event above the limit ends the stream', () => {
  const error = new TransportError('EVENT_TOO_LARGE', 'an event is longer than 1000000 characters')
  expect(endOf(error, running)).toEqual({
    fault: { title: 'The stream has no outcome.', detail: 'an event is longer than 1000000 characters' },
  })
})
