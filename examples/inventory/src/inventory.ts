import {
  type AuditEmitter,
  createService,
  type Log,
  type Service,
  type Store,
  type TrustOptions,
} from '@agentic-rest/service'
import { listStockChecks } from './list-stock-checks.ts'
import { readStock } from './read-stock.ts'

/** The options of the inventory. */
export interface InventoryOptions {
  /** A store with its tables, created by `prepareTables`. */
  readonly store: Store
  /** The issuer of agents. Without it an agent is known by its subject alone. */
  readonly agentIssuer?: string | undefined
  /** The gateway whose signed identities are believed; without it plain headers are. */
  readonly trust?: TrustOptions | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** Agent B: the stock of products. */
export function createInventory({ store, agentIssuer, trust, audit, log }: InventoryOptions): Service {
  return createService({
    operations: [readStock({ store, agentIssuer }), listStockChecks(store)],
    store,
    title: 'Inventory',
    ...(trust && { trust }),
    ...(audit && { audit }),
    ...(log && { log }),
  })
}
