import { describeApprovals } from './approvals-behaviour.ts'
import { describeIdempotency } from './idempotency-behaviour.ts'
import { describeOperations } from './operations-behaviour.ts'
import { describeReservations } from './reservations-behaviour.ts'
import { describeStore } from './store-behaviour.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { describeTenancy } from './tenancy-behaviour.ts'

/** Everything that the runtime does, on one kind of store. */
export function describeRuntime(store: StoreUnderTest): void {
  describeKept(store)
  describeWork(store)
}

/** What is kept of requests: keys, approvals, and those of one tenant apart from those of another. */
export function describeKept(store: StoreUnderTest): void {
  describeStore(store)
  describeIdempotency(store)
  describeApprovals(store)
  describeTenancy(store)
}

/** What is done in the background, which has tests that wait for leases to end. */
export function describeWork(store: StoreUnderTest): void {
  describeOperations(store)
  describeReservations(store)
}
