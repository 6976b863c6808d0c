import { randomUUID } from 'node:crypto'
import { NOW, type SqlClock, secondsFromNow } from '../sql-clock.ts'
import type { Sql, Store } from '../store.ts'
import { sweep } from '../sweep.ts'
import type { ApprovalEvent, Receiver } from './notify-options.ts'
import type { ApprovalRow } from './row.ts'
import { notificationOf } from './webhook.ts'

/** The statements of migration 11, part of a released migration. A message belongs to one receiver. */
export const OUTBOX_TABLE: readonly string[] = [
  `CREATE TABLE agentic_approval_outbox (
    tenant_id text NOT NULL,
    message_id text NOT NULL,
    approval_id text NOT NULL,
    target text NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    available_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, message_id)
  )`,
  'CREATE INDEX agentic_approval_outbox_due ON agentic_approval_outbox (target, available_at)',
]

/** The messages that wait to be sent. */
export interface Outbox {
  /** Adds the messages of an event, in the transaction of the change. */
  add(sql: Sql, type: ApprovalEvent, row: ApprovalRow): Promise<void>
  /** Leases due messages of a receiver, with at most one process per message. */
  lease(target: string, limit: number): Promise<readonly Message[]>
  /** Removes a sent message, if the lease is still held. */
  remove(message: Message): Promise<void>
  /** Makes a message available again after a pause. */
  postpone(message: Message, seconds: number): Promise<void>
}

/** A leased message. */
export interface Message {
  readonly tenantId: string
  readonly messageId: string
  readonly body: string
  /** The number of attempts, this one included. */
  readonly attempts: number
  readonly ageSeconds: number
}

interface OutboxOptions {
  readonly store: Store
  readonly clock: SqlClock
  readonly receivers: readonly Receiver[]
  /** The address of the approvals, without an id. */
  readonly approvalsUrl: string
  readonly leaseSeconds: number
  /** Called after a commit with new messages. */
  readonly onAdded: () => void
}

interface MessageRow {
  readonly tenant_id: string
  readonly message_id: string
  readonly body: string
  readonly attempts: number
  readonly age: number
}

/** Creates the outbox of a service. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { store, clock, receivers, approvalsUrl, leaseSeconds } = options
  return {
    async add(sql, type, row) {
      const wanted = receivers.filter(({ events }) => events.has(type))
      if (wanted.length === 0) return
      const body = JSON.stringify(notificationOf(type, { row, at: clock() ?? new Date(), approvalsUrl }))
      const messages = wanted.map(({ target }) => ({ id: `msg_${randomUUID()}`, target }))
      await sql.query(
        `INSERT INTO agentic_approval_outbox (message_id, tenant_id, approval_id, target, body, created_at, available_at)
         SELECT m.id, $2, $3, m.target, $4, ${NOW}, ${NOW} FROM json_to_recordset($5::json) AS m (id text, target text)`,
        [clock(), row.tenant_id, row.approval_id, body, JSON.stringify(messages)],
      )
      sql.afterCommit?.(options.onAdded)
    },
    async lease(target, limit) {
      const rows = await store.query<MessageRow>(
        `UPDATE agentic_approval_outbox SET attempts = attempts + 1, available_at = ${secondsFromNow('$2')}
         WHERE (tenant_id, message_id) IN (
           SELECT tenant_id, message_id FROM agentic_approval_outbox
           WHERE target = $3 AND available_at <= ${NOW}
           ORDER BY available_at LIMIT $4 FOR UPDATE SKIP LOCKED
         )
         RETURNING tenant_id, message_id, body, attempts, extract(epoch FROM ${NOW} - created_at)::float8 AS age`,
        [clock(), leaseSeconds, target, limit],
      )
      return rows.map(({ tenant_id, message_id, age, ...row }) => {
        return { ...row, tenantId: tenant_id, messageId: message_id, ageSeconds: age }
      })
    },
    async remove({ tenantId, messageId, attempts }) {
      await store.query(
        'DELETE FROM agentic_approval_outbox WHERE tenant_id = $1 AND message_id = $2 AND attempts = $3',
        [tenantId, messageId, attempts],
      )
    },
    async postpone({ tenantId, messageId, attempts }, seconds) {
      await store.query(
        `UPDATE agentic_approval_outbox SET available_at = ${secondsFromNow('$2')}
         WHERE tenant_id = $3 AND message_id = $4 AND attempts = $5`,
        [clock(), seconds, tenantId, messageId, attempts],
      )
    },
  }
}

/** Removes a batch of messages that no process sends: their receiver is no longer configured. Resolves with their number. */
export function sweepOutbox(store: Store, clock: SqlClock): Promise<number> {
  return sweep(store, clock, {
    table: 'agentic_approval_outbox',
    key: 'tenant_id, message_id',
    // A message is sent for one day.
    isOld: (now) => `created_at <= ${now} - interval '2 days'`,
  })
}
