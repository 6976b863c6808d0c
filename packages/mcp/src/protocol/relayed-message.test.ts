import { describe, expect, test } from 'vitest'
import { systemEnvironment } from '../environment.ts'
import { createSeal } from '../sealed-text.ts'
import { instanceOf, openMessage, type RelayedMessage, sealMessage } from './relayed-message.ts'

const make = (secret = 'a secret of at least thirty-two bytes') =>
  createSeal({
    secrets: [secret],
    publicUrl: 'https://agents.example.com/mcp',
    environment: systemEnvironment,
  })
const seal = make()

describe('a relayed message', () => {
  test.each<RelayedMessage>([
    { type: 'response', id: 'g1.2', session: 's', result: { action: 'accept', content: { goal: 'ctr' } } },
    { type: 'response', id: 'g1.2', session: 's', result: undefined },
    { type: 'cancelled', session: 's', requestId: 7 },
    { type: 'cancelled', session: 's', requestId: 'seven' },
  ])('opens to the same message: %j', (message) => {
    const text = sealMessage(message, seal)
    expect(openMessage(text, seal)).toEqual(message)
    expect(text).not.toContain('ctr')
  })

  test('opens with answers that are longer than a state, up to 1 MiB', () => {
    const answer = (length: number): RelayedMessage => ({
      type: 'response',
      id: 'g1.2',
      session: 's',
      result: { text: 'x'.repeat(length) },
    })
    expect(openMessage(sealMessage(answer(100_000), seal), seal)).toEqual(answer(100_000))
    expect(openMessage(sealMessage(answer(1_048_576), seal), seal)).toBeUndefined()
  })

  test('does not open with another secret, changed, or as a text for another use', () => {
    const message: RelayedMessage = { type: 'cancelled', session: 's', requestId: 1 }
    const text = sealMessage(message, seal)
    expect(openMessage(text, make('another secret of thirty-two bytes!!'))).toBeUndefined()
    expect(openMessage(`${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`, seal)).toBeUndefined()
    expect(openMessage(seal.seal('state', message), seal)).toBeUndefined()
    expect(seal.open('session', text)).toBeUndefined()
    expect(openMessage(JSON.stringify(message), seal)).toBeUndefined()
    expect(openMessage('', seal)).toBeUndefined()
  })

  test.each<unknown>([
    null,
    [],
    'text',
    {},
    { type: 'response', id: 'g1.2' },
    { type: 'response', id: 7, session: 's' },
    { type: 'response', id: 'g1.2', session: 's', result: [] },
    { type: 'cancelled', session: 's' },
    { type: 'cancelled', session: 's', requestId: {} },
    { type: 'other', id: 'g1.2', session: 's' },
  ])('does not open with the shape %j', (value) => {
    expect(openMessage(seal.seal('relay', value), seal)).toBeUndefined()
  })
})

test('the id of a question names its process', () => {
  expect(['w1.a', 'w1.a.b', 'w1', '', '.a'].map(instanceOf)).toEqual(['w1', 'w1', '', '', ''])
})
