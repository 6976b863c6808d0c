import { setTimeout as pause } from 'node:timers/promises'

/** An order of the shop. */
export interface Order {
  readonly id: string
  readonly total: number
  readonly paid: boolean
}

// Example data, the same for every tenant. Call your own systems instead.
const orders: readonly Order[] = [
  { id: 'o-1', total: 40, paid: true },
  { id: 'o-2', total: 250, paid: true },
  { id: 'o-3', total: 60, paid: false },
  { id: 'o-4', total: 80, paid: true },
]

const ORDER_OF_SILENT_BANK = 'o-4'
const PAUSE_MS = 300

/** Finds an order by its id. */
export function findOrder(id: string): Order | undefined {
  return orders.find((order) => order.id === id)
}

/** Pays an order back; rejects when the bank does not answer. */
export async function payBack({ id }: Order): Promise<void> {
  if (id === ORDER_OF_SILENT_BANK) throw new Error('the bank does not answer')
}

/** Reads all orders slowly, one after the other. */
export async function* readOrders(signal: AbortSignal): AsyncGenerator<Order> {
  for (const order of orders) {
    await pause(PAUSE_MS, undefined, { signal })
    yield order
  }
}
