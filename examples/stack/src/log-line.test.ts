import { expect, test } from 'vitest'
import { readableLine } from './log-line.ts'

test('a line of a log is its message and its details, with no places in the code', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:1')
  const error = new TypeError('fetch failed', { cause })
  const text = `${error.stack} (cause: ${cause.stack})`
  expect(text).toMatch(/\n +at /)
  const line = JSON.stringify({ time: 't', level: 'warn', msg: 'records are lost', lost: 3, cause: text })
  expect(readableLine(line)).toBe(
    'warn records are lost lost=3 cause="TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:1"',
  )
})

test('what is no JSON stays as it is', () => {
  expect(readableLine('    at somewhere (file.ts:1:2)')).toBe('    at somewhere (file.ts:1:2)')
})
