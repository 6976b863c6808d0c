import type { Log } from './log.ts'
import type { RunContext } from './run-context.ts'
import type { ApprovalObserver } from './runtime/approvals/approval-store.ts'
import { type ApprovalsOptions, approvalStore, createApprovals } from './runtime/approvals/approvals.ts'
import { createExpiry } from './runtime/approvals/expire.ts'
import { createNotifier, type Notifier } from './runtime/approvals/notifier.ts'
import { readReceivers } from './runtime/approvals/notify-options.ts'
import { createOutbox } from './runtime/approvals/outbox.ts'
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
import { createSqlClock } from './runtime/sql-clock.ts'
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
  /** The ids of the operations with approvals. */
  readonly approvalOperations: readonly string[]
  readonly observeApproval: ApprovalObserver
  /** The prefix of the built-in paths. */
  readonly publicPath: string
  readonly fetch: typeof fetch
}

interface Runtimes {
  readonly idempotency: Idempotency
  readonly operations: Operations
  readonly approvals: Approvals
  /** Work in the background besides operations. */
  readonly helpers: readonly Helper[]
}

interface Helper {
  start(): void
  close(): Promise<void>
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
      const starts = [
        ...(runners.size > 0 ? [() => runtimes.operations.start(runners)] : []),
        ...runtimes.helpers.map((helper) => () => helper.start()),
      ]
      if (starts.length > 0) void startWhenReady({ migrated, starts, log }, closing)
    },
    async close() {
      closing.abort()
      await Promise.all([runtimes.operations.close(), ...runtimes.helpers.map((helper) => helper.close())])
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

function createRuntimes(store: Store, options: DurableOptions): Runtimes {
  const { runtime, log, releasers } = options
  const { idempotency, operations, approvals, ...shared } = runtime
  const onFault: OperationsOptions['onFault'] = ({ message, ...fields }) => log.error(message, fields)
  return {
    idempotency: createIdempotency(store, { ...shared, ...idempotency }),
    operations: createOperations(store, { ...shared, onFault, ...operations }, releasers),
    ...createApprovalParts(store, { ...shared, ...approvals }, options),
  }
}

/** Approvals, their notifications and their expiry. A store in memory by default is opened only when it is used. */
function createApprovalParts(
  store: Store,
  settings: ApprovalsOptions,
  { approvalOperations, observeApproval, publicPath, fetch, log, store: given }: DurableOptions,
): Pick<Runtimes, 'approvals' | 'helpers'> {
  const receivers = readReceivers(settings)
  let notifier: Notifier | undefined
  const clock = createSqlClock(settings)
  const approvalsUrl = `${settings.publicUrl?.replace(/\/+$/, '') ?? ''}${publicPath}/approvals`
  const outbox = createOutbox({
    store,
    clock,
    receivers,
    approvalsUrl,
    leaseSeconds: NOTIFICATION_LEASE_SECONDS,
    onAdded: () => notifier?.wake(),
  })
  notifier = receivers.length === 0 ? undefined : createNotifier({ outbox, receivers, fetch, log })
  const parts = { outbox, observe: observeApproval }
  const expiry =
    approvalOperations.length === 0 || given === undefined
      ? undefined
      : createExpiry({
          approvals: approvalStore(store, settings, parts),
          operations: approvalOperations,
          log,
        })
  return {
    approvals: createApprovals(store, settings, parts),
    helpers: [notifier, expiry].filter((helper) => helper !== undefined),
  }
}

// Longer than the time limit of a request. A message of a dead process is sent again after it.
const NOTIFICATION_LEASE_SECONDS = 30

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
  readonly starts: readonly (() => void)[]
  readonly log: Log
}

/** Retries until the store is available, so that a database that is down at the start only delays the workers. */
async function startWhenReady({ migrated, starts, log }: Workers, { signal }: AbortController) {
  while (!signal.aborted) {
    try {
      await migrated()
      if (!signal.aborted) for (const start of starts) start()
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
