import type { Log } from '../../log.ts'
import type { ApprovalStore } from './approval-store.ts'
import { type ApprovalRow, COLUMNS, HAS_EXPIRED } from './row.ts'

// Small, so that one transaction does not hold many locks for long.
const BATCH = 100

/** Marks a batch of expired approvals of these operations and notifies of each once; resolves with their number. */
export async function expireApprovals(
  approvals: ApprovalStore,
  operations: readonly string[],
): Promise<number> {
  const { store, clock, outbox, observe } = approvals
  const expired = await store.transaction(async (sql) => {
    const rows = await sql.query<ApprovalRow>(
      `UPDATE agentic_approvals SET state = 'expired' WHERE (tenant_id, approval_id) IN (
         SELECT tenant_id, approval_id FROM agentic_approvals
         WHERE ${HAS_EXPIRED} AND operation IN (SELECT json_array_elements_text($2::json))
         LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ) RETURNING ${COLUMNS}`,
      [clock(), JSON.stringify(operations)],
    )
    for (const row of rows) await outbox?.add(sql, 'approval.expired', row)
    return rows
  })
  for (const row of expired) observe?.({ type: 'expired', row })
  return expired.length
}

interface ExpiryOptions {
  readonly approvals: ApprovalStore
  readonly operations: readonly string[]
  readonly log: Log
}

const EVERY_MS = 10_000

/** Marks expired approvals every ten seconds. */
export function createExpiry({ approvals, operations, log }: ExpiryOptions) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  async function run(): Promise<void> {
    try {
      while (!isClosed && (await expireApprovals(approvals, operations)) === BATCH);
    } catch (cause) {
      log.warn('expired approvals wait for the store', { cause })
    }
  }
  const tick = () => {
    running ??= run().finally(() => {
      running = undefined
    })
  }
  return {
    start() {
      timer = setInterval(tick, EVERY_MS)
      timer.unref()
      tick()
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}
