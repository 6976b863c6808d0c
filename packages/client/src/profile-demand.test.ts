import { describe, expect, test } from 'vitest'
import { compileDemand, describeDemand, type ProfileDemand } from './profile-demand.ts'

describe('a demand', () => {
  test.each<[string, ProfileDemand | undefined, string | undefined, boolean]>([
    ['none', undefined, undefined, true],
    ['none', undefined, 'whatever', true],
    ['a list', ['v0.2', 'v0.3'], 'v0.2', true],
    ['a list', ['v0.2', 'v0.3'], 'v0.1', false],
    ['a list', ['v0.2'], undefined, false],
    ['an empty list', [], 'v0.3', false],
    ['a range', { min: 'v0.2', max: 'v0.3' }, 'v0.1', false],
    ['a range', { min: 'v0.2', max: 'v0.3' }, 'v0.2', true],
    ['a range', { min: 'v0.2', max: 'v0.3' }, 'v0.3', true],
    ['a range', { min: 'v0.2', max: 'v0.3' }, 'v0.4', false],
    ['a range without an end', { min: 'v0.9' }, 'v0.10', true],
    ['a range without an end', { min: 'v0.9' }, 'v1.0', true],
    ['a range without a beginning', { max: 'v0.9' }, 'v0.10', false],
    ['an open range', {}, 'v0.3', true],
    ['an open range', {}, undefined, false],
    ['a range', { min: 'v0.1' }, '0.3', false],
    ['a range', { min: 'v0.1' }, 'v0.3, v0.4', false],
    ['a range', { min: 'v0.1' }, 'v0.3.1', false],
    ['a range', { min: 'v0.1' }, '', false],
  ])('that is %s (%j) meets %j: %j', (_title, demand, version, met) => {
    expect(compileDemand(demand)(version)).toBe(met)
  })

  test('of no version is refused', () => {
    expect(() => compileDemand({ min: '0.3' as 'v0.3' })).toThrow(
      '"0.3" is not a profile version such as v0.3',
    )
    expect(() => compileDemand(['latest' as 'v0.3'])).toThrow(TypeError)
  })

  test('is told in words', () => {
    expect(describeDemand(['v0.2', 'v0.3'])).toBe('v0.2, v0.3')
    expect(describeDemand({ min: 'v0.2' })).toBe('v0.2 to any')
    expect(describeDemand({ max: 'v0.2' })).toBe('any to v0.2')
    expect(describeDemand(undefined)).toBe('any')
  })
})
