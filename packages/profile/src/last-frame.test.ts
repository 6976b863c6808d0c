import { describe, expect, it } from 'vitest'
import { createEventParser } from './event-stream.ts'
import { readLastFrame, writeErrorFrame, writeOutcomeFrame } from './last-frame.ts'

const trace = { correlationId: 'c', requestId: 'r' }

describe('the last frame of a stream', () => {
  it('has the type, the status and the body of an ordinary answer', () => {
    expect(writeOutcomeFrame({ type: 'success', body: { story: 'a\nb' } }, trace)).toBe(
      'event: outcome\ndata: {"type":"success","status":200,"body":{"story":"a\\nb","trace":{"correlationId":"c","requestId":"r"}}}\n\n',
    )
  })

  it('has the address of the answer where there is one', () => {
    const outcome = { type: 'created', body: null } as const
    const text = writeOutcomeFrame(outcome, trace, { location: '/stories/7' })
    expect(text).toBe(
      'event: outcome\ndata: {"type":"created","status":201,"location":"/stories/7","body":null}\n\n',
    )
    const [event] = createEventParser(10_000).push(text)
    expect(event && readLastFrame(event)).toMatchObject({ outcome, location: '/stories/7' })
  })

  it.each(['/a\r\nb', '/ä', ''])('is read without the address %j, which no header can have', (location) => {
    const [event] = createEventParser(10_000).push(
      writeOutcomeFrame({ type: 'created', body: null }, trace, { location }),
    )
    expect(event && readLastFrame(event)).toEqual({
      event: 'outcome',
      outcome: { type: 'created', body: null },
      trace: undefined,
    })
  })

  it('is one event of type error with the body of the failure', () => {
    const outcome = { type: 'error', code: 'X', message: 'two\nlines' } as const
    expect(writeErrorFrame(outcome, trace)).toBe(
      'event: error\ndata: {"type":"error","code":"X","message":"two\\nlines","trace":{"correlationId":"c","requestId":"r"}}\n\n',
    )
  })

  it.each([
    { type: 'success', body: [1, null] },
    { type: 'success', body: null },
    { type: 'created', body: { id: 1 } },
    { type: 'conflict', code: 'TAKEN', message: 'It is taken.' },
    { type: 'error', code: 'LIMIT', message: 'Too many.', condition: 'limit_exceeded', retryAfter: 3 },
    { type: 'validation_failed', message: 'No.', errors: [{ field: 'a', message: 'no' }] },
  ] as const)('is read as the outcome that was written: $type', (outcome) => {
    const [event] = createEventParser(10_000).push(writeOutcomeFrame(outcome, trace))
    expect(event && readLastFrame(event)).toMatchObject({ event: 'outcome', outcome })
  })

  it('is read as the failure that broke the stream', () => {
    const outcome = { type: 'failed_dependency', code: 'UPSTREAM_UNAVAILABLE', message: 'Gone.' } as const
    const [event] = createEventParser(10_000).push(writeErrorFrame(outcome, trace))
    expect(event && readLastFrame(event)).toEqual({ event: 'error', outcome, trace })
  })

  it.each([
    ['message', '{"type":"success","status":200,"body":1}'],
    ['outcome', 'not JSON'],
    ['outcome', '[]'],
    ['outcome', '{"type":"success","status":200}'],
    ['outcome', '{"type":"success","status":409,"body":{}}'],
    ['outcome', '{"type":"great","status":200,"body":{}}'],
    ['outcome', '{"type":"success","status":"200","body":{}}'],
    ['outcome', '{"type":"created","status":201,"location":7,"body":{}}'],
    ['error', '{"message":"a foreign error"}'],
  ])('is not taken from the event %s %s', (event, data) => {
    expect(readLastFrame({ event, data, id: '' })).toBeUndefined()
  })
})
