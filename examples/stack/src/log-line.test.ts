import { expect, test } from 'vitest'
import { readableLine } from './log-line.ts'

test('a warning is its message and its details, with no places in the code', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:1')
  const error = new TypeError('fetch failed', { cause })
  const text = `${error.stack} (cause: ${cause.stack})`
  expect(text).toMatch(/\n +at /)
  const line = JSON.stringify({ time: 't', level: 'warn', msg: 'records are lost', lost: 3, cause: text })
  expect(readableLine(line)).toBe(
    'warn records are lost lost=3 cause="TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:1"',
  )
})

test('an error has the places of the program that threw it, and not those of Node and of packages', () => {
  const cause = [
    'TypeError: x is undefined',
    '    at read (file:///app/src/main.ts:7:5)',
    '    at run (file:///app/node_modules/p/index.js:1:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
    '    at file:///app/src/lib/a.ts:3:1 (cause: Error: inner',
    '    at /app/src/b.ts:1:2)',
  ].join('\n')
  const line = JSON.stringify({
    time: 't',
    level: 'error',
    msg: 'an operation failed',
    request_id: 'r-1',
    cause,
  })
  expect(readableLine(line).split('\n')).toEqual([
    'error an operation failed request_id="r-1" cause="TypeError: x is undefined: Error: inner"',
    '    at read (file:///app/src/main.ts:7:5)',
    '    at file:///app/src/lib/a.ts:3:1',
    '    at /app/src/b.ts:1:2',
  ])
  const foreign = 'Error: x\n    at run (/app/node_modules/p/index.js:1:1)'
  expect(readableLine(JSON.stringify({ level: 'error', msg: 'm', cause: foreign }))).toBe(
    'error m cause="Error: x"\n    at run (/app/node_modules/p/index.js:1:1)',
  )
})

test('what is no JSON stays as it is', () => {
  expect(readableLine('    at somewhere (file.ts:1:2)')).toBe('    at somewhere (file.ts:1:2)')
})
