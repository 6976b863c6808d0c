import { vi } from 'vitest'
import { describeApprovals } from './approvals-behaviour.ts'
import { describeIdempotency } from './idempotency-behaviour.ts'
import { describeOperations } from './operations-behaviour.ts'
import { describeReservations } from './reservations-behaviour.ts'
import { describeStore } from './store-behaviour.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { describeTenancy } from './tenancy-behaviour.ts'

/** Everything that the runtime does, on one kind of store. */
export function describeRuntime(store: StoreUnderTest): void {
  // Tests of other packages may keep the machine busy.
  vi.setConfig({ testTimeout: 60_000 })
  describeStore(store)
  describeIdempotency(store)
  describeApprovals(store)
  describeOperations(store)
  describeReservations(store)
  describeTenancy(store)
}
