import { type AuditEmitter, createService, type Log, type Service, type Store } from '@agentic-rest/service'
import { listStockChecks } from './list-stock-checks.ts'
import { readStock } from './read-stock.ts'

/** What the inventory is made of. */
export interface InventoryOptions {
  /** Its tables have to be there: `prepareTables` makes them. */
  readonly store: Store
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** Agent B: how much of a product is where. */
export function createInventory({ store, audit, log }: InventoryOptions): Service {
  return createService({
    operations: [readStock(store), listStockChecks(store)],
    store,
    title: 'Inventory',
    ...(audit && { audit }),
    ...(log && { log }),
  })
}
