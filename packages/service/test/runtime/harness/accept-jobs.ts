import { createOperations } from '../../../src/runtime/operations.ts'
import type { Store } from '../../../src/runtime/store.ts'

// So that none has more open operations than allowed.
const TENANTS = 100

/** Accepts jobs of the operation `count` in large transactions, with names numbered from `first`. */
export async function acceptJobs(store: Store, count: number, first = 0): Promise<void> {
  const operations = createOperations(store)
  const scopeOf = (number: number) => ({
    tenantId: `tenant-${number % TENANTS}`,
    operation: 'count',
    requester: 'alice',
  })
  const trace = { correlationId: 'c', requestId: 'r' }
  const common = {
    actor: '',
    roles: [],
    trace,
    params: {},
    idempotencyKey: undefined,
    approvalId: undefined,
  }
  for (let done = 0; done < count; done += 100) {
    await store.transaction(async (sql) => {
      for (let number = done; number < Math.min(done + 100, count); number += 1) {
        const input = { name: `job-${first + number}` }
        await operations.accept(sql, { ...common, scope: scopeOf(number), input })
      }
    })
  }
}
