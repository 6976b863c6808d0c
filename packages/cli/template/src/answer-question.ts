import { clarificationRequired, defineOperation, success } from '@agentic-rest/service'
import { z } from 'zod'

const answers = {
  hours: 'The shop is open from 9 to 18 o’clock.',
  returns: 'An order can be sent back within 30 days.',
}

/** Asks back: the caller gets questions until nothing is missing. Talks while it works: the answer comes word by word. */
export const answerQuestion = defineOperation({
  id: 'answer-question',
  method: 'POST',
  path: '/questions',
  summary: 'Answers a question of a customer.',
  // A missing input is asked for with its description: 400. A wrong one is refused: 422.
  input: z.object({
    topic: z.enum(['hours', 'returns', 'delivery']).describe('What is the question about?'),
    orderId: z.string().optional(),
  }),
  // What run yields are events, for callers that accept a stream. What it returns is the outcome, for all.
  event: z.object({ text: z.string() }),
  outcomes: ['success', 'clarification_required'],
  async *run({ input: { topic, orderId } }) {
    // Only this topic needs an order, so the code asks for it.
    if (topic === 'delivery' && orderId === undefined) return whichOrder
    const answer = topic === 'delivery' ? `Order ${orderId} arrives tomorrow.` : answers[topic]
    // Ask your model here: it gives one word after another.
    for (const text of answer.split(/(?<= )/)) yield { text }
    return success({ answer })
  },
})

const whichOrder = clarificationRequired({
  message: 'The delivery of which order?',
  requiredInputs: [
    { name: 'orderId', location: 'body', type: 'string', required: true, question: 'Which order?' },
  ],
})
