import { clarificationRequired, defineOperation, success } from '@agentic-rest/service'
import { z } from 'zod'

const answers = {
  hours: 'The shop is open from 9 to 18 o’clock.',
  returns: 'An order can be sent back within 30 days.',
}

/** Asks back: the caller gets questions until nothing is missing. */
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
  outcomes: ['success', 'clarification_required'],
  run({ input: { topic, orderId } }) {
    if (topic !== 'delivery') return success({ answer: answers[topic] })
    if (orderId !== undefined) return success({ answer: `Order ${orderId} arrives tomorrow.` })
    // Only this topic needs an order, so the code asks for it.
    return clarificationRequired({
      message: 'The delivery of which order?',
      requiredInputs: [
        { name: 'orderId', location: 'body', type: 'string', required: true, question: 'Which order?' },
      ],
    })
  },
})
