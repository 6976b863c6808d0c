import type { Store } from '../../../src/runtime/store.ts'

/** Returns the migrated store under test. */
export type StoreUnderTest = () => Store
