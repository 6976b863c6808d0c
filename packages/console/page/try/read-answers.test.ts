import type { RequiredInput } from '@agentic-rest/client'
import { expect, test } from 'vitest'
import { readAnswers } from './read-answers.ts'

function input(type: RequiredInput['type'], more: Partial<RequiredInput> = {}): RequiredInput {
  return { name: 'x', location: 'body', type, required: true, question: 'What?', ...more }
}

function answerOf(one: RequiredInput, ...texts: string[]): unknown {
  const reading = readAnswers([one], new Map([[one.name, texts]]))
  return reading.ok ? Object.values(reading.answers)[0] : [...reading.faults.values()]
}

test.each([
  [input('string'), ['a b'], 'a b'],
  [input('integer'), ['42'], 42],
  [input('integer'), ['-1'], -1],
  [input('boolean'), ['true'], true],
  [input('boolean'), ['false'], false],
  [input('array'), ['a\n b \n\n'], ['a', 'b']],
  [input('array'), ['[1, "b"]'], [1, 'b']],
  [input('object'), ['{"a": 1}'], { a: 1 }],
  [input('string', { allowedValues: ['ctr', 'reach'] }), ['1'], 'reach'],
  [input('integer', { allowedValues: [10, 20] }), ['0'], 10],
  [input('array', { allowedValues: ['a', 'b', 'c'] }), ['0', '2'], ['a', 'c']],
  [input('object', { allowedValues: [{ a: 1 }] }), ['0'], { a: 1 }],
])('%j answered by %j is %j', (one, texts, value) => {
  expect(answerOf(one, ...texts)).toEqual(value)
})

test.each([
  [input('string'), ''],
  [input('integer'), '1.5'],
  [input('integer'), 'many'],
  [input('object'), '[1]'],
  [input('object'), 'no'],
])('%j does not take %j', (one, text) => {
  expect(answerOf(one, text)).toEqual([expect.stringMatching(/\w/)])
})

test('an optional input may stay empty when another is answered', () => {
  const inputs = [input('string', { name: 'a' }), input('integer', { name: 'b', required: false })]
  expect(readAnswers(inputs, new Map([['a', ['x']]]))).toEqual({ ok: true, answers: { a: 'x' } })
})

test('nothing at all is no answer, although everything is optional', () => {
  const reading = readAnswers([input('string', { required: false })], new Map())
  expect(reading).toEqual({ ok: false, faults: new Map([['x', 'Answer at least one question.']]) })
})

test('an input with an odd name is a member like any other', () => {
  const reading = readAnswers([input('string', { name: '__proto__' })], new Map([['__proto__', ['v']]]))
  expect(reading.ok && Object.entries(reading.answers)).toEqual([['__proto__', 'v']])
})
