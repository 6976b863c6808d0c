import { describe, expect, test } from 'vitest'
import type { TextRedactor } from './redact-text.ts'
import { rewriteForm, rewriteQuery } from './rewrite-form.ts'

/** Redacts `a+b`, `c d` and all values of `secret`; rejects `no`. */
const redact: TextRedactor = (text, hint) => {
  if (text === 'no') return { type: 'rejected', rule: 'r' }
  if (hint === 'secret') return '*'
  return text.replace('a+b', '[1 2]').replace('c d', '[3]')
}
const redactors = { value: redact, text: redact }

describe('a form and a query', () => {
  test.each([
    ['', ''],
    ['x=1&&y', 'x=1&&y'],
    ['x=%7E%20+%', 'x=%7E%20+%'],
    ['x=c+d', 'x=%5B3%5D'],
    ['x=c%20d&y=%C3%A9', 'x=%5B3%5D&y=%C3%A9'],
    ['c+d=1', '%5B3%5D=1'],
    ['c+d', '%5B3%5D'],
    ['x=a%2Bb', 'x=%5B1+2%5D'],
    ['secret=1=2', 'secret=*'],
    ['%73ecret=1', '%73ecret=*'],
  ])('%j becomes %j', (source, result) => {
    expect(rewriteForm(source, redactors)).toBe(result)
    expect(rewriteQuery(source, redactors)).toBe(result)
  })

  test.each(['no', 'no=1', 'x=no', 'y=1&x=no'])('%j is rejected', (source) => {
    expect(rewriteForm(source, redactors)).toEqual({ type: 'rejected', rule: 'r' })
    expect(rewriteQuery(source, redactors)).toEqual({ type: 'rejected', rule: 'r' })
  })

  test.each(['%FF', '%FF=1', 'x=%FF', 'x=%C3%A9%C3'])('%j is malformed', (source) => {
    expect(rewriteForm(source, redactors)).toEqual({ type: 'malformed' })
    expect(rewriteQuery(source, redactors)).toEqual({ type: 'malformed' })
  })
})

describe('a plus sign', () => {
  test('is a blank in a form', () => {
    expect(rewriteForm('x=a+b', redactors)).toBe('x=a+b')
  })

  test('is either in a query', () => {
    expect(rewriteQuery('x=a+b', redactors)).toBe('x=%5B1+2%5D')
    expect(rewriteQuery('a+b=1+2', redactors)).toBe('%5B1+2%5D=1+2')
    expect(rewriteQuery('x=c+d+a+b', redactors)).toBe('x=%5B3%5D%2B%5B1+2%5D')
  })
})
