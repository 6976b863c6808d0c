import {
  type AuditEmitter,
  type CallIdentity,
  type CallObserver,
  createService,
  type Log,
  type Service,
  type Store,
  type TrustOptions,
} from '@agentic-rest/service'
import { recommendForCustomer } from './recommend-for-customer.ts'
import { recommendForProduct } from './recommend-for-product.ts'

/** The options of the agent. */
export interface RecommendationsOptions {
  /** A store with its tables, created by `prepareTables`. */
  readonly store: Store
  /** The gateway of agent B. */
  readonly inventoryUrl: string
  /** The service account at that gateway. */
  readonly identity?: CallIdentity | undefined
  /** The gateway whose signed identities are believed; without it plain headers are. */
  readonly trust?: TrustOptions | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
  readonly callObserver?: CallObserver | undefined
}

// Longer than the deadline of 10 seconds of B's gateway; for a gateway that does not answer.
const CALL_SECONDS = 15

/** Agent A: recommendations, which depend on the stock of agent B. */
export function createRecommendations(options: RecommendationsOptions): Service {
  const { store, inventoryUrl, identity, trust, audit, log, callObserver } = options
  return createService({
    operations: [recommendForProduct({ store, inventoryUrl }), recommendForCustomer(store)],
    store,
    title: 'Recommendations',
    callTimeoutSeconds: CALL_SECONDS,
    ...(identity && { identity }),
    ...(trust && { trust }),
    ...(audit && { audit }),
    ...(log && { log }),
    ...(callObserver && { callObserver }),
  })
}
