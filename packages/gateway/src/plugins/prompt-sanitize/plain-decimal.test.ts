import { expect, test } from 'vitest'
import { plainDecimal } from './plain-decimal.ts'

test.each([
  ['4.111e3', '4111'],
  ['4.111E+3', '4111'],
  ['4111.0', '4111'],
  ['4111.500', '4111.5'],
  ['41110e-1', '4111'],
  ['-4.1e1', '-41'],
  ['0.4111e4', '4111'],
  ['1e3', '1000'],
  ['0e0', '0'],
  ['0.0', '0'],
])('%s is %s', (source, expected) => {
  expect(plainDecimal(source)).toBe(expected)
})

test.each(['0', '-1', '4111', '3.14', '1e400', '1e99999', '1e-3', '0.5e-7', `${'1'.repeat(50)}.0`])(
  '%s says nothing else',
  (source) => {
    expect(plainDecimal(source)).toBeUndefined()
  },
)
