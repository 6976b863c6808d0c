import type { Operations, Releasers } from './contract.ts'
import { createOperationTable } from './operation-table.ts'
import { startWorker, type Worker } from './operation-worker.ts'
import { type OperationsOptions, operationsSettings } from './operations-options.ts'
import { createSqlClock } from './sql-clock.ts'
import type { Store } from './store.ts'
import { createSweeper, sweep } from './sweep.ts'

/** Creates the background operations of a service. */
export function createOperations(
  store: Store,
  options: OperationsOptions = {},
  releasers: Releasers = new Map(),
): Operations {
  const settings = operationsSettings(options)
  const table = createOperationTable({
    store,
    clock: createSqlClock(options),
    leaseSeconds: settings.leaseSeconds,
    maxOpenPerTenant: settings.maxOpenPerTenant,
    releasers,
  })
  const sweepWhenDue = createSweeper(() => sweepOperations(store, options))
  let worker: Worker | undefined
  return {
    async accept(sql, job) {
      const operationId = await table.insert(sql, job)
      sql.afterCommit?.(function lookForWork() {
        worker?.nudge()
        sweepWhenDue()
      })
      return { operationId }
    },
    assertWithinLimit: table.assertWithinLimit,
    status: table.find,
    async cancel(tenantId, operationId, sql) {
      const result = await table.cancel({ tenantId, operationId }, sql)
      const afterwards = sql?.afterCommit ?? callNow
      if (result === 'cancelled') afterwards(() => worker?.abort(operationId, 'the operation was cancelled'))
      return result
    },
    start(runners) {
      if (worker !== undefined) throw new TypeError('the workers were started before')
      worker = startWorker(runners, { table, settings })
    },
    async close() {
      await worker?.close()
    },
  }
}

function callNow(hook: () => void): void {
  hook()
}

/** Removes a batch of old operations that ended or wait for input; resolves with their number. */
export function sweepOperations(store: Store, options: OperationsOptions = {}): Promise<number> {
  const keepSeconds = Number(operationsSettings(options).keepSeconds)
  return sweep(store, createSqlClock(options), {
    table: 'agentic_operations',
    key: 'tenant_id, operation_id',
    isOld: (now) => `state <> 'working' AND updated_at <= ${now} - ${keepSeconds} * interval '1 second'`,
  })
}
