import { headerKeys, headers as headerNames } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'
import { createIntake, type Intake } from './intake.ts'
import { createPostedRecords, type PartRecord, type PostedRecords } from './posted-records.ts'
import { OWN_PART, readRecords } from './read-records.ts'
import { type RecentExchanges, recordOf, startedAtOf } from './recent-exchanges.ts'
import { shownOutcome } from './shown-outcome.ts'

/** The endpoints about records. */
export interface Records {
  /** The records of one correlation id. */
  find(exchange: Exchange): AdminAnswer
  /** The last exchanges, to choose one. */
  recent(): AdminAnswer
  /** Takes records of others. */
  post(exchange: Exchange): Promise<AdminAnswer>
}

const NO_CONTENT = 204
const MAX_SHOWN_RECORDS = 1_000
const MAX_SHOWN_EXCHANGES = 100
/** The largest body of posted records: reading it must not hold up a request. */
export const MAX_POSTED_BYTES = 256 * 1024
const INTAKE_BYTES_PER_SECOND = 4 * 1024 * 1024

/** Makes the endpoints over the gateway's own exchanges and what others post. */
export function createRecords(recent: RecentExchanges): Records {
  const posted = createPostedRecords()
  const intake = createIntake(INTAKE_BYTES_PER_SECOND)
  return {
    find(exchange) {
      const id = new URLSearchParams(exchange.query).get('correlation_id') ?? ''
      if (id === '') return faultAnswer('INVALID', 'correlation_id is missing.')
      return jsonAnswer({ correlationId: id, records: recordsOf(id, recent, posted) })
    },
    recent: () => jsonAnswer({ exchanges: recentExchanges(recent, posted) }),
    post: (exchange) => takeRecords(exchange, posted, intake),
  }
}

function recordsOf(id: string, recent: RecentExchanges, posted: PostedRecords): PartRecord[] {
  const records: PartRecord[] = []
  for (const exchange of recent.newestFirst())
    if (exchange.correlationId === id) records.push({ ...recordOf(exchange), part: OWN_PART })
  for (const record of posted.all()) if (record.correlation_id === id) records.push(record)
  return records.toSorted((a, b) => timeOf(a) - timeOf(b)).slice(0, MAX_SHOWN_RECORDS)
}

function timeOf({ timestamp }: PartRecord): number {
  return Date.parse(timestamp)
}

function recentExchanges(recent: RecentExchanges, posted: PostedRecords): unknown[] {
  const parts = new Map<string, Set<string>>()
  const shown: { correlationId: string }[] = []
  for (const exchange of recent.newestFirst()) {
    if (shown.length === MAX_SHOWN_EXCHANGES) break
    const { correlationId, route, outcome, status, tenant, streamed } = exchange
    if (parts.has(correlationId)) continue
    parts.set(correlationId, new Set([OWN_PART]))
    const row = {
      correlationId,
      at: startedAtOf(exchange),
      route: route || 'unmatched',
      outcome: shownOutcome(outcome, streamed),
      status,
      tenant,
      streamed,
    }
    shown.push(row)
  }
  for (const { correlation_id, part } of posted.all()) parts.get(correlation_id)?.add(part)
  return shown.map((row) => ({ ...row, parts: [...(parts.get(row.correlationId) ?? [])] }))
}

async function takeRecords(exchange: Exchange, posted: PostedRecords, intake: Intake): Promise<AdminAnswer> {
  const { body, headers, query } = exchange
  // Looked at before a byte is read; a body that does not say its length is taken for the largest.
  if ((body.length() ?? 0) > MAX_POSTED_BYTES) return tooLarge()
  if (!intake.admits(body.length() ?? MAX_POSTED_BYTES))
    return faultAnswer('TOO_MANY', 'More records come than are taken.', { [headerNames.retryAfter]: '1' })
  const bytes = await body.read(MAX_POSTED_BYTES)
  if (bytes === undefined) return tooLarge()
  const part = new URLSearchParams(query).get('part') ?? ''
  const read = readRecords(bytes.toString(), headers[headerKeys.contentType], part)
  if (!read.ok) return faultAnswer('INVALID', `The records are not valid: ${read.fault}.`)
  posted.add(read.records)
  return { status: NO_CONTENT }
}

function tooLarge(): AdminAnswer {
  return faultAnswer('TOO_LARGE', `The body is larger than ${MAX_POSTED_BYTES} bytes.`)
}
