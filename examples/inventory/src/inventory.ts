import { type AuditEmitter, createService, type Log, type Service, type Store } from '@agentic-rest/service'
import { listStockChecks } from './list-stock-checks.ts'
import { readStock } from './read-stock.ts'

/** The options of the inventory. */
export interface InventoryOptions {
  /** A store with its tables, created by `prepareTables`. */
  readonly store: Store
  /** The issuer of agents. Without it an agent is known by its subject alone. */
  readonly agentIssuer?: string | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** Agent B: the stock of products. */
export function createInventory({ store, agentIssuer, audit, log }: InventoryOptions): Service {
  return createService({
    operations: [readStock({ store, agentIssuer }), listStockChecks(store)],
    store,
    title: 'Inventory',
    ...(audit && { audit }),
    ...(log && { log }),
  })
}
