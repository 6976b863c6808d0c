import { describeApprovals } from './approvals-behaviour.ts'
import { describeDecisions } from './decisions-behaviour.ts'
import { describeFairness } from './fairness-behaviour.ts'
import { describeIdempotency } from './idempotency-behaviour.ts'
import { describeOperations } from './operations-behaviour.ts'
import { describeReservations } from './reservations-behaviour.ts'
import { describeStore } from './store-behaviour.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { describeTenancy } from './tenancy-behaviour.ts'

/** The behaviour of the runtime on one kind of store. */
export function describeRuntime(store: StoreUnderTest): void {
  describeKept(store)
  describeWork(store)
}

/** Stored keys and approvals, and the separation of tenants. */
export function describeKept(store: StoreUnderTest): void {
  describeStore(store)
  describeIdempotency(store)
  describeApprovals(store)
  describeDecisions(store)
  describeTenancy(store)
}

/** Background work, with tests that wait for the end of leases. */
export function describeWork(store: StoreUnderTest): void {
  describeOperations(store)
  describeFairness(store)
  describeReservations(store)
}
