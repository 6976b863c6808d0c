import { randomUUID } from 'node:crypto'
import { created, defineOperation } from '@agentic-rest/service'
import { z } from 'zod'
import { readOrders } from './shop.ts'

/** Runs in the background: a caller that sends `Prefer: respond-async` gets 202 and polls. */
export const createReport = defineOperation({
  id: 'create-report',
  method: 'POST',
  path: '/reports',
  summary: 'Adds up all orders.',
  input: z.object({ title: z.string().min(1).default('Orders') }),
  outcomes: ['created'],
  async: true,
  async run({ input: { title }, progress, signal }) {
    let [count, total] = [0, 0]
    // A cancelled operation aborts the signal, which ends the loop.
    for await (const order of readOrders(signal)) {
      count += 1
      total += order.total
      await progress({ orders: count })
    }
    return created({ id: randomUUID(), title, orders: count, total })
  },
})
