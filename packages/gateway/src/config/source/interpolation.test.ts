import { expect, test } from 'vitest'
import { interpolate, isOneReference, MAX_TEXT_LENGTH } from './interpolation.ts'

const environment = { NAME: 'value', EMPTY: '', NESTED: '${NAME}' }

test.each([
  ['no reference', 'no reference'],
  ['${NAME}', 'value'],
  ['<${NAME}|${NAME}>', '<value|value>'],
  ['${EMPTY}', ''],
  ['${UNSET:-default}', 'default'],
  ['${EMPTY:-default}', 'default'],
  ['${NAME:-default}', 'value'],
  ['${UNSET:-}', ''],
  ['${UNSET:-a:-b?c d}', 'a:-b?c d'],
  ['${UNSET:-two\nlines}', 'two\nlines'],
  ['${NAME:?needed}', 'value'],
  ['$${NAME}', '${NAME}'],
  ['$$${NAME}', '$${NAME}'],
  ['costs $5 {x} $NAME', 'costs $5 {x} $NAME'],
  ['${NESTED}', '${NAME}'],
])('%j becomes %j', (text, filled) => {
  expect(interpolate(text, environment)).toMatchObject({ text: filled, faults: [] })
})

test.each([
  ['${UNSET}', 'environment variable UNSET is not set'],
  ['${UNSET:?}', 'environment variable UNSET is not set'],
  ['${UNSET:?set it first}', 'environment variable UNSET is not set: set it first'],
  ['${EMPTY:?set it first}', 'environment variable EMPTY is not set: set it first'],
  ['${toString}', 'environment variable toString is not set'],
  ['${__proto__}', 'environment variable __proto__ is not set'],
])('%j is refused: %s', (text, fault) => {
  expect(interpolate(text, environment).faults).toEqual([fault])
})

test.each(['${', '${}', '${1A}', '${A B}', '${A-b}', '${A:=b}', '${A:-${NAME}}', '${NAME'])(
  '%j is not a reference',
  (text) => {
    const [fault] = interpolate(text, environment).faults
    expect(fault).toMatch(/^is not a valid reference/)
  },
)

test('the variables that a text names are listed, a literal is none', () => {
  expect(interpolate('${NAME}${NAME}${UNSET:-x}$${EMPTY}', environment).variables).toEqual(['NAME', 'UNSET'])
})

test('references cannot blow a text up', () => {
  const { text, faults } = interpolate('${BIG}'.repeat(1000), { BIG: 'x'.repeat(1000) })
  expect(text.length).toBeLessThanOrEqual(MAX_TEXT_LENGTH)
  expect(faults).toEqual(['becomes longer than 65536 characters'])
})

test('one reference and nothing else is recognised', () => {
  expect(['${A}', '${A:-1}', ' ${A}', '${A}${B}', 'x${A}', '$${A}'].map(isOneReference)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
