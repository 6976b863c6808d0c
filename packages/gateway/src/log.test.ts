import { expect, test } from 'vitest'
import { createLog } from './log.ts'

const circular: { self?: unknown } = {}
circular.self = circular
const ownCause = new Error('outer')
ownCause.cause = ownCause

test.each([
  ['a bigint', 1n],
  ['a nested bigint', { id: 1n }],
  ['a circular object', circular],
  ['an error that is its own cause', ownCause],
])('a line with %s is written and does not throw', (_, error) => {
  for (const pretty of [true, false]) {
    const lines: string[] = []
    createLog({ level: 'info', pretty, write: (line) => lines.push(line) }).error('failed', { error })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('failed')
    expect(lines[0]).toMatch(/\n$/)
  }
})
