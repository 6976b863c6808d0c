import {
  type AuditEmitter,
  type CallIdentity,
  type CallObserver,
  createService,
  type Log,
  type Service,
  type Store,
} from '@agentic-rest/service'
import { recommendForCustomer } from './recommend-for-customer.ts'
import { recommendForProduct } from './recommend-for-product.ts'

/** What the agent is made of. */
export interface RecommendationsOptions {
  /** Its tables have to be there: `prepareTables` makes them. */
  readonly store: Store
  /** The gateway of agent B. */
  readonly inventoryUrl: string
  /** The agent's own account at that gateway. */
  readonly identity?: CallIdentity | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
  readonly callObserver?: CallObserver | undefined
}

// The gateway of B gives up after 10 seconds and says so; this is for a gateway that says nothing.
const CALL_SECONDS = 15

/** Agent A: recommendations, which depend on what agent B says about the stock. */
export function createRecommendations(options: RecommendationsOptions): Service {
  const { store, inventoryUrl, identity, audit, log, callObserver } = options
  return createService({
    operations: [recommendForProduct({ store, inventoryUrl }), recommendForCustomer(store)],
    store,
    title: 'Recommendations',
    callTimeoutSeconds: CALL_SECONDS,
    ...(identity && { identity }),
    ...(audit && { audit }),
    ...(log && { log }),
    ...(callObserver && { callObserver }),
  })
}
