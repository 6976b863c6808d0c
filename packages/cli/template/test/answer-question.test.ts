import assert from 'node:assert/strict'
import { test } from 'node:test'
import { send, stream } from './send.ts'

test('a complete question is answered: success', async () => {
  const { status, body } = await send('POST /questions', { body: { topic: 'returns' } })
  assert.equal(status, 200)
  assert.match(String(body['answer']), /30 days/)
})

test('a stream has the answer word by word, and the outcome at its end', async () => {
  const events = await stream('POST /questions', { body: { topic: 'returns' } })
  assert.deepEqual(events[0], { text: 'An ' })
  const { type, status, body } = events.at(-1) as { type: string; status: number; body: { answer: string } }
  assert.deepEqual([type, status, body.answer], ['success', 200, 'An order can be sent back within 30 days.'])
})

test('a missing topic is asked for: clarification_required', async () => {
  const { status, body } = await send('POST /questions', { body: {} })
  assert.equal(status, 400)
  assert.deepEqual(body['requiredInputs'], [
    {
      name: 'topic',
      location: 'body',
      type: 'string',
      required: true,
      question: 'What is the question about?',
      allowedValues: ['hours', 'returns', 'delivery'],
    },
  ])
})

test('a delivery needs an order, and the answer names it', async () => {
  const asked = await send('POST /questions', { body: { topic: 'delivery' } })
  assert.deepEqual([asked.status, asked.body['type']], [400, 'clarification_required'])
  const answered = await send('POST /questions', { body: { topic: 'delivery', orderId: 'o-1' } })
  assert.deepEqual([answered.status, answered.body['answer']], [200, 'Order o-1 arrives tomorrow.'])
})

test('an unknown topic is refused: validation_failed', async () => {
  const { status, body } = await send('POST /questions', { body: { topic: 'weather' } })
  assert.deepEqual([status, body['type']], [422, 'validation_failed'])
})
