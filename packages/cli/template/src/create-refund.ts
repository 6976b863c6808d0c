import { conflict, created, defineOperation, error, failedDependency } from '@agentic-rest/service'
import { z } from 'zod'
import { findOrder, payBack } from './shop.ts'

// Above this, a manager has to approve.
const LIMIT = 100

const notFound = () =>
  error({ code: 'NOT_FOUND', message: 'There is no such order.', condition: 'not_found' })

/** Needs an approval: large refunds wait until a manager agrees. */
export const createRefund = defineOperation({
  id: 'create-refund',
  method: 'POST',
  path: '/orders/{orderId}/refunds',
  summary: 'Pays an order back.',
  input: z.object({
    orderId: z.string(),
    reason: z.enum(['broken', 'late', 'unwanted']).describe('Why is the order paid back?'),
  }),
  outcomes: ['created', 'conflict', 'failed_dependency'],
  // The same Idempotency-Key twice is one refund.
  idempotent: true,
  // Runs before anybody is asked: nobody approves a refund that cannot work.
  check({ input: { orderId } }) {
    const order = findOrder(orderId)
    if (order === undefined) return notFound()
    if (!order.paid) return conflict({ code: 'NOT_PAID', message: 'The order is not paid.' })
    return undefined
  },
  approval: {
    role: 'manager',
    when({ input: { orderId } }) {
      const { total = 0 } = findOrder(orderId) ?? {}
      return (
        total > LIMIT && { message: `Pay ${total} back for ${orderId}?`, approver: { name: 'A manager' } }
      )
    },
  },
  async run({ input: { orderId, reason }, approval, log }) {
    const order = findOrder(orderId)
    if (order === undefined) return notFound()
    try {
      await payBack(order)
    } catch (cause) {
      log.warn('a refund failed', { orderId, error: cause })
      return failedDependency({ code: 'BANK_UNAVAILABLE', message: 'The bank does not answer.' })
    }
    return created({ orderId, reason, total: order.total, approvedBy: approval?.decidedBy })
  },
})
