import { setTimeout as pause } from 'node:timers/promises'
import { type JoinedRecord, joinRecords, recordTable } from '../joined-records.ts'
import { defineStop, demand } from '../stop.ts'

const parts = ['gateway', 'recommendations', 'inventory-gateway', 'inventory']
const PATIENCE_MS = 10_000
const POLL_MS = 50

/** One id joins what four parts recorded. */
export const joinedRecords = defineStop({
  title: 'One id joins what four parts recorded',
  why: 'Both gateways and both agents leave a record with the correlation id of the first request. A gateway writes its record with the time at which the request came, a service when it answers.',
  async run(guide) {
    const correlationId = `tour-${crypto.randomUUID()}`
    const path = '/products/{productId}/recommendations'
    const question = { method: 'POST', path, params: { productId: 'prd-123' }, as: 'alice', body: {} }
    await guide.expect({ ...question, correlationId }, 'created')
    if (guide.auditFolder === undefined)
      return guide.say('The stack keeps no records, so there are none to join.')
    const records = await recordsOfAll(guide.auditFolder, correlationId)
    for (const line of recordTable(records)) guide.say(line)
    const found = records.map(({ part }) => part)
    demand(
      found.toSorted().join() === parts.toSorted().join(),
      `there has to be one record of ${parts.join(', ')}, and there are those of ${found.join(', ')}`,
    )
    const actors = new Set(records.map(({ actor_id }) => actor_id))
    demand(actors.has('alice') && actors.has('recommendations'), 'B has to see the agent as the one who acts')
  },
})

/** A record is written beside the answer and may be in its file a moment later. */
async function recordsOfAll(auditFolder: string, correlationId: string): Promise<JoinedRecord[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const records = await joinRecords(auditFolder, correlationId)
    if (records.length >= parts.length || performance.now() > until) return records
    await pause(POLL_MS)
  }
}
