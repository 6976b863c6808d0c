import type { Log } from './log.ts'
import type { RunContext } from './run-context.ts'
import { type ApprovalsOptions, createApprovals } from './runtime/approvals/approvals.ts'
import type {
  Approvals,
  Idempotency,
  JobRunner,
  Operations,
  Releasers,
  RuntimeOptions,
} from './runtime/contract.ts'
import { createIdempotency, type IdempotencyOptions } from './runtime/idempotency.ts'
import { createOperations } from './runtime/operations.ts'
import type { OperationsOptions } from './runtime/operations-options.ts'
import { createStore } from './runtime/sql-store.ts'
import type { Store, StoreOptions } from './runtime/store.ts'

/** The durable state of a service: the store and the three runtimes on it. */
export interface Durable {
  /** Resolves with the store after its migrations. */
  store(): Promise<Store>
  idempotency(): Promise<Idempotency>
  operations(): Promise<Operations>
  approvals(): Promise<Approvals>
  /** Starts the workers as soon as the store is available. */
  start(runners: ReadonlyMap<string, JobRunner>): void
  /** Stops the workers, and closes the store if it was created here. */
  close(): Promise<void>
}

/** Settings of the runtimes: shared ones, and those of each runtime. */
export interface DurableSettings extends RuntimeOptions {
  readonly idempotency?: IdempotencyOptions
  readonly operations?: OperationsOptions
  readonly approvals?: ApprovalsOptions
}

/** The options of the durable state. */
interface DurableOptions {
  /** A store of the caller, or the options for one; in memory when absent. */
  readonly store: Store | StoreOptions | undefined
  readonly runtime: DurableSettings
  readonly log: Log
  /** Functions that release the reservations of background operations. */
  readonly releasers: Releasers
}

interface Runtimes {
  readonly idempotency: Idempotency
  readonly operations: Operations
  readonly approvals: Approvals
}

const RETRY_MS = 2_000

/** Creates the durable state of a service. The store is opened at its first use. */
export function createDurable(options: DurableOptions): Durable {
  const { store: given, log } = options
  const isOwn = given === undefined || !('transaction' in given)
  const store = isOwn ? createStore(given ?? { memory: true }) : given
  const runtimes = createRuntimes(store, options)
  const migrated = createMigration(store)
  const closing = new AbortController()
  return {
    store: async () => {
      await migrated()
      return store
    },
    idempotency: () => migrated().then(() => runtimes.idempotency),
    operations: () => migrated().then(() => runtimes.operations),
    approvals: () => migrated().then(() => runtimes.approvals),
    start(runners) {
      if (runners.size > 0)
        void startWhenReady({ migrated, operations: runtimes.operations, runners, log }, closing)
    },
    async close() {
      closing.abort()
      await runtimes.operations.close()
      if (isOwn) await store.close()
    },
  }
}

/** Creates `cancelOperation` for the runs of a tenant. It cannot cancel operations of other tenants. */
export function cancelOperationOf(
  tenantId: string,
  durable: Pick<Durable, 'operations'>,
): RunContext['cancelOperation'] {
  return async (operationId, sql) => (await durable.operations()).cancel(tenantId, operationId, sql)
}

function createRuntimes(store: Store, { runtime, log, releasers }: DurableOptions): Runtimes {
  const { idempotency, operations, approvals, ...shared } = runtime
  const onFault: OperationsOptions['onFault'] = ({ message, ...fields }) => log.error(message, fields)
  return {
    idempotency: createIdempotency(store, { ...shared, ...idempotency }),
    operations: createOperations(store, { ...shared, onFault, ...operations }, releasers),
    approvals: createApprovals(store, { ...shared, ...approvals }),
  }
}

/** Migrates once. After a failure the next caller tries again. */
function createMigration(store: Store): () => Promise<void> {
  let migrating: Promise<void> | undefined
  return () => {
    migrating ??= store.migrate().catch((error: unknown) => {
      migrating = undefined
      throw error
    })
    return migrating
  }
}

interface Workers {
  readonly migrated: () => Promise<void>
  readonly operations: Operations
  readonly runners: ReadonlyMap<string, JobRunner>
  readonly log: Log
}

/** Retries until the store is available, so that a database that is down at the start only delays the workers. */
async function startWhenReady({ migrated, operations, runners, log }: Workers, { signal }: AbortController) {
  while (!signal.aborted) {
    try {
      await migrated()
      if (!signal.aborted) operations.start(runners)
      return
    } catch (cause) {
      log.warn('the workers wait for the store', { cause })
      await pause(RETRY_MS, signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
