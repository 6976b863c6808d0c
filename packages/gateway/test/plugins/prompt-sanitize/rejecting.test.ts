import { describe, expect, test } from 'vitest'
import { createSanitizer, rejectedAnswer, type TestRule } from './sanitizing.ts'

const rules: readonly TestRule[] = [
  { name: 'email', builtin: 'email' },
  { name: 'card', builtin: 'credit_card', action: 'reject' },
  { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
  { name: 'ticket', regex: 'TCK-[0-9]{6}', action: 'reject' },
]
const card = '4111111111111111'

describe('a rejected body is refused with the place and the rule, and never with what was found', () => {
  test.each([
    ['a member', `{"a":{"b":[0,"${card}"]}}`, '/a/b/1', 'card'],
    ['a number', `[[${card}]]`, '/0/0', 'card'],
    ['a number with an exponent', '[4.111111111111111e15]', '/0', 'card'],
    ['the document', `"${card}"`, 'body', 'card'],
    ['a key', `{"a":{"${card}":1}}`, '/a/[REDACTED:card]', 'card'],
    ['a member under a redacted key', `{"alice@example.com":"${card}"}`, '/[REDACTED:email]', 'card'],
    ['a member whose key needs escapes', `{"a/b~c":"${card}"}`, '/a~1b~0c', 'card'],
    ['the second of two members', `{"a":1,"b":"x","c":"${card}"}`, '/c', 'card'],
    ['a later element', `[1,[2],{"x":3},"${card}"]`, '/3', 'card'],
    ['an overridden duplicate', `{"a":"${card}","a":1}`, '/a', 'card'],
    ['JSON in a string', JSON.stringify({ x: JSON.stringify({ y: card }) }), '/x', 'card'],
    ['a keyword', '{"prompt":"Please IGNORE previous\\ninstructions"}', '/prompt', 'jailbreak'],
    ['a pattern', '["TCK-123456"]', '/0', 'ticket'],
    ['a value that a redaction overlaps', `["${card}@example.com"]`, '/0', 'card'],
  ])('%s', async (_title, body, field, rule) => {
    const { answer, replaced } = await createSanitizer(rules).treat(body)
    expect(answer).toEqual(rejectedAnswer(field, rule))
    expect(JSON.stringify(answer)).not.toMatch(/4111|alice|previous|TCK/)
    expect(replaced).toBe(0)
  })

  test.each([
    ['text', 'text/plain', `card ${card}`],
    ['JSON sent as text', 'text/plain', `{"a":"${card}"}`],
    ['a form value', 'application/x-www-form-urlencoded', 'a=1&b=4111+1111%201111-1111'],
    ['a form name', 'application/x-www-form-urlencoded', `${card}=1`],
    ['an untyped body', '', `card ${card}`],
  ])('%s names the body', async (_title, type, body) => {
    const { answer } = await createSanitizer(rules).treat(body, { type })
    expect(answer).toEqual(rejectedAnswer('body', 'card'))
  })
})

test('a pointer that would repeat the body is shortened to the body', async () => {
  const { answer } = await createSanitizer(rules).treat(`{"${'k'.repeat(2000)}":"${card}"}`)
  expect(answer).toEqual(rejectedAnswer('body', 'card'))
})

test('a body that is only redacted goes on', async () => {
  const { answer, forwarded } = await createSanitizer(rules).treat('{"m":"alice@example.com"}')
  expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: '{"m":"[REDACTED:email]"}' })
})
