import { setTimeout as pause } from 'node:timers/promises'
import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../guide.ts'
import { type JoinedRecord, recordTable } from '../joined-records.ts'

const parts = ['gateway', 'recommendations', 'inventory-gateway', 'inventory']
const PATIENCE_MS = 10_000
const POLL_MS = 50

/** One correlation id joins the records of four parts. */
export const joinedRecords = defineStop({
  title: 'One correlation id joins the records of four parts',
  why: 'Both gateways and both agents write a record with the correlation id of the first request. The record of a gateway has the time of the request, that of a service the time of the answer.',
  async run(guide) {
    const correlationId = `tour-${crypto.randomUUID()}`
    const path = '/products/{productId}/recommendations'
    const question = { method: 'POST', path, params: { productId: 'prd-123' }, as: 'alice', body: {} }
    await guide.expect({ ...question, correlationId }, 'created')
    const records = await recordsOfAll(guide, correlationId)
    for (const line of recordTable(records)) guide.say(line)
    const found = records.map(({ part }) => part).toSorted()
    demand(
      found.join() === parts.toSorted().join(),
      `there must be one record of ${parts.join(', ')}, but there are records of ${found.join(', ') || 'nobody'}`,
    )
    const actors = new Set(records.map(({ actor_id }) => actor_id))
    demand(
      actors.has('alice') && actors.has('recommendations'),
      'the records of B must have the agent as actor',
    )
  },
})

/** Waits for a record, which may arrive after the answer. */
async function recordsOfAll(guide: Guide, correlationId: string): Promise<readonly JoinedRecord[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const records = await guide.records(correlationId)
    if (records.length >= parts.length || performance.now() > until) return records
    await pause(POLL_MS)
  }
}
