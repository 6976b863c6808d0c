import { adminBodies } from '@agentic-rest/profile/admin'
import { expect, test } from 'vitest'
import { type Draft, emptyDraft } from './draft.ts'
import { shop } from './example-document.ts'
import { choiceEntries, entryFault, entryOf, isUnreadable, withEntry } from './field-entry.ts'
import { readDraft } from './read-draft.ts'
import { findOperation } from './service-operation.ts'

const route = { method: 'POST', path: '/orders/{id}/lines', target: '', upstream: null }
const operation = findOperation(shop, route) ?? expect.fail('the operation is missing')
const field = (name: string) =>
  operation.fields.find((each) => each.name === name) ?? expect.fail(`${name} is missing`)
const enter = (name: string, text: string, draft: Draft = emptyDraft) => withEntry(draft, field(name), text)
const faultOf = (name: string, text: string) => entryFault(operation.document, field(name), text)

test('entries go to their place, and are read from there', () => {
  const texts = {
    id: 'o 1',
    limit: '5',
    tag: 'a\nb',
    'X-Region': 'eu',
    price: '1.5',
    sku: 'apple',
    size: '#2',
  }
  const draft = Object.entries({ ...texts, gift: 'true', parts: '[{"name":"a"}]' }).reduce(
    (before, [name, text]) => enter(name, text, before),
    emptyDraft,
  )
  expect(draft.params.get('id')).toBe('o 1')
  expect(draft.query).toBe('limit=5&tag=a&tag=b')
  expect(draft.headers.get('X-Region')).toBe('eu')
  const body = { price: 1.5, sku: 'apple', size: 3, gift: true, parts: [{ name: 'a' }] }
  expect(JSON.parse(draft.body)).toEqual(body)
  for (const [name, text] of Object.entries(texts))
    expect([name, entryOf(draft, field(name))]).toEqual([name, text])
  expect(entryOf(draft, field('parts'))).toBe(JSON.stringify(body.parts, null, 2))
})

test('an empty entry leaves the input out, and other members stay', () => {
  const draft = { ...emptyDraft, query: 'limit=5&x=1', body: '{"sku":"apple","more":1,"__proto__":2}' }
  expect(enter('sku', '', draft).body).toBe(JSON.stringify(JSON.parse('{"more":1,"__proto__":2}'), null, 2))
  expect(enter('limit', '', draft).query).toBe('x=1')
})

test('a value that is not listed is shown as it is', () => {
  expect(entryOf({ ...emptyDraft, body: '{"size":7}' }, field('size'))).toBe('7')
  expect(choiceEntries(field('size'))).toEqual([
    { text: '#0', words: '1' },
    { text: '#1', words: '2' },
    { text: '#2', words: '3' },
  ])
  expect(choiceEntries(field('X-Region'))[0]).toEqual({ text: 'eu', words: 'eu' })
})

test.each([
  ['price', 'many', 'This has to be a number.'],
  ['limit', '0', 'This has to be at least 1.'],
  ['sku', 'A', 'This has to fit ^[a-z]+$'],
  ['parts', '[]', 'This needs at least 1 entry.'],
  ['parts', '"x"', 'This has to be a list or an object, not a text.'],
  ['size', '9', 'This has to be 1 or 2 or 3.'],
])('%s does not take %s', (name, text, message) => {
  expect(faultOf(name, text)).toBe(message)
})

test('what is missing has no fault: the service asks for it', () => {
  for (const { name } of operation.fields) expect([name, faultOf(name, '')]).toEqual([name, undefined])
})

test('only JSON that does not parse keeps a request from being sent', () => {
  const whole = adminBodies.Route.read({ ...route, mode: 'json' })
  const draft = enter('parts', '[1', enter('id', 'o-1'))
  expect(isUnreadable(field('parts'), '[1')).toBe(true)
  const reading = readDraft(draft, whole, operation)
  expect(reading.ok ? [] : [...reading.faults.keys()]).toEqual(['field parts'])
  expect(readDraft({ ...draft, isRaw: true }, whole, operation).ok).toBe(true)
  expect(readDraft(enter('price', 'many', enter('id', 'o-1')), whole, operation)).toMatchObject({
    ok: true,
    request: { body: { price: 'many' } },
  })
})
