import { memoryLog } from '@agentic-rest/testing/start-service'
import { onTestFinished } from 'vitest'
import { createApprovals } from '../../src/runtime/approvals/approvals.ts'
import { createNotifier } from '../../src/runtime/approvals/notifier.ts'
import { readReceivers } from '../../src/runtime/approvals/notify-options.ts'
import { createOutbox } from '../../src/runtime/approvals/outbox.ts'
import { createSqlClock } from '../../src/runtime/sql-clock.ts'
import type { Store } from '../../src/runtime/store.ts'
import { createTestClock } from '../runtime/behaviour/test-clock.ts'

/** The receivers of an outbox, and the file with their secret. */
export interface OutboxReceivers {
  readonly secretFile: string
  readonly urls: readonly string[]
}

/** Approvals with an outbox on a clock of the test, and senders of it. */
export async function startOutbox(given: Store, { secretFile, urls }: OutboxReceivers) {
  const clock = createTestClock()
  const receivers = readReceivers({
    publicUrl: 'https://gateway.example/',
    notify: urls.map((url) => ({ url, secretFile })),
  })
  const { log, lines } = memoryLog()
  const outbox = createOutbox({
    store: given,
    clock: createSqlClock(clock),
    receivers,
    approvalsUrl: 'https://gateway.example/approvals',
    leaseSeconds: 30,
    onAdded: () => undefined,
  })
  const approvals = createApprovals(given, clock, { outbox })
  const request = () =>
    approvals.request({ tenantId: 'acme', operation: 'pay', requester: 'alice' }, crypto.randomUUID(), {
      message: 'Pay?',
      approver: { name: 'Finance' },
      role: 'finance',
    })
  const startNotifier = (timeoutMilliseconds = 60_000) => {
    const notifier = createNotifier({
      outbox,
      receivers,
      fetch,
      log,
      pollMilliseconds: 10,
      timeoutMilliseconds,
    })
    onTestFinished(() => notifier.close())
    notifier.start()
    return notifier
  }
  const waiting = async () => {
    const rows = await given.query<{ attempts: number; available_at: Date }>(
      'SELECT attempts, available_at FROM agentic_approval_outbox',
    )
    const seconds = (at: Date) => (Number(at) - Number(clock.now())) / 1000
    return rows.map((row) => `attempt ${row.attempts}, again in ${seconds(row.available_at)} s`)
  }
  return { clock, request, startNotifier, waiting, lines }
}
