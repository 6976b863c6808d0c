import type { Store } from '../../../src/runtime/store.ts'

/** Gives the migrated store that a behaviour is shown on. */
export type StoreUnderTest = () => Store
