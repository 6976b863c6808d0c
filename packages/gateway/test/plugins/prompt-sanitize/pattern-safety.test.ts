import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../../src/plugins/prompt-sanitize/compile-rules.ts'

// The backend of plain JavaScript: the others need Java or a binary of the platform.
process.env['RECHECK_BACKEND'] = 'pure'

const patterns = Object.entries(detectors).flatMap(([name, { patterns }]) =>
  patterns.map((pattern) => [name, pattern] as const),
)

describe('every pattern of a detector is proven safe', () => {
  test.each(patterns)('%s: %s', (_name, { source, flags }) => {
    // Only the automaton checker is a proof; by default a fuzzer without a finding would be enough.
    const { status, checker } = checkSync(source, flags, { checker: 'automaton', timeout: 30_000 })
    expect({ status, checker }).toEqual({ status: 'safe', checker: 'automaton' })
  })

  test('a pattern that is not safe would be told', () => {
    expect(checkSync('^([a-z]+)+@', '', { timeout: 10_000 }).status).toBe('vulnerable')
  })

  test('all detectors are there, those that read by hand without a pattern', () => {
    const without = Object.entries(detectors).filter(([, { patterns }]) => patterns.length === 0)
    expect(without.map(([name]) => name)).toEqual(['credit_card', 'iban'])
    expect(patterns.length).toBeGreaterThanOrEqual(10)
  })
})
