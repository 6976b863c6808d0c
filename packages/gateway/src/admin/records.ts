import { headerKeys, headers as headerNames } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange } from '../exchange.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'
import { exchangeDetails } from './exchange-detail.ts'
import type { OtherWorkers } from './other-workers.ts'
import { OWN_PART, type PartRecord, PostedRecords, readRecords } from './posted-records.ts'
import { ownRecords, type RecentExchanges } from './recent-exchanges.ts'
import { MOST_LISTED, mergeRows, type RowPage, recentRows } from './recent-rows.ts'
import { pageOf, rowsBefore } from './request-row.ts'
import { TokenBucket } from './token-bucket.ts'

/** The endpoints about records. */
export interface Records {
  /** The records of one correlation id. */
  find(exchange: Exchange): Promise<AdminAnswer>
  /** One request, step by step. */
  detail(exchange: Exchange): Promise<AdminAnswer>
  /** A page of the remembered requests. */
  requests(exchange: Exchange): Promise<AdminAnswer>
  /** The list of the last exchanges. */
  recent(exchange: Exchange): Promise<AdminAnswer>
  /** Takes records of services and other gateways. */
  post(exchange: Exchange): Promise<AdminAnswer>
}

const NO_CONTENT = 204
const MAX_SHOWN_RECORDS = 1_000
/** Parsing a larger body would delay requests. */
const MAX_POSTED_BYTES = 256 * 1024
/** Protects requests from a flood of posted records. */
const POSTED_BYTES_PER_SECOND = 4 * 1024 * 1024

/** The sources of records beside the exchanges of this process. */
interface OtherSources {
  readonly posted: PostedRecords
  readonly otherWorkers: OtherWorkers | undefined
}

/** Makes the endpoints over the gateway's own exchanges and the posted records. */
export function createRecords(
  recent: RecentExchanges,
  otherWorkers: OtherWorkers | undefined,
  current: () => Snapshot,
): Records {
  const posted = new PostedRecords()
  const sources = { posted, otherWorkers }
  const allowance = new TokenBucket(POSTED_BYTES_PER_SECOND)
  return {
    async find(exchange) {
      const id = new URLSearchParams(exchange.query).get('correlation_id') ?? ''
      if (id === '') return faultAnswer('INVALID', 'correlation_id is missing.')
      return jsonAnswer<AdminBody<'Records'>>({
        correlationId: id,
        records: await recordsOf(id, recent, sources),
      })
    },
    async detail({ path, query }) {
      const id = decodedId(path.slice(EXCHANGES_PATH.length))
      if (id === undefined) return faultAnswer('INVALID', 'The request id is not encoded correctly.')
      const spanId = new URLSearchParams(query).get('span_id')
      const wanted = { requestId: id, ...(spanId !== null && { spanId }) }
      const own = exchangeDetails(wanted, recent, current())
      const all = [...own, ...((await otherWorkers?.exchanges(wanted)) ?? [])]
      const [newest] = all.toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
      return newest === undefined
        ? faultAnswer('NOT_FOUND', 'No remembered request has this id.')
        : jsonAnswer<AdminBody<'Exchange'>>(newest)
    },
    async requests({ query }) {
      const before = readBefore(new URLSearchParams(query).get('before'))
      if (Number.isNaN(before)) return faultAnswer('INVALID', 'before is not the next of an answer.')
      const others = (await otherWorkers?.requests(before)) ?? []
      return jsonAnswer<AdminBody<'Requests'>>(pageOf([...rowsBefore(recent, before), ...others]))
    },
    async recent({ query }) {
      const page = readPage(new URLSearchParams(query))
      if (typeof page === 'string') return faultAnswer('INVALID', page)
      return jsonAnswer<AdminBody<'Recent'>>({ exchanges: await recentExchanges(recent, page, sources) })
    },
    post: (exchange) => takeRecords(exchange, posted, allowance),
  }
}

/** The path of one request; its id follows. */
export const EXCHANGES_PATH = '/api/exchanges/'

/** The newest page without a value; NaN for a value that is no number. */
function readBefore(text: string | null): number {
  if (text === null) return Number.MAX_VALUE
  return /^\d{1,16}(\.\d{1,8})?$/.test(text) ? Number(text) : Number.NaN
}

function decodedId(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

async function recordsOf(
  id: string,
  recent: RecentExchanges,
  { posted, otherWorkers }: OtherSources,
): Promise<PartRecord[]> {
  const own = [...ownRecords(id, recent), ...((await otherWorkers?.records(id)) ?? [])]
  const records: PartRecord[] = own.map((record) => ({ ...record, part: OWN_PART }))
  for (const record of posted.all()) if (record.correlation_id === id) records.push(record)
  return records.toSorted((a, b) => timeOf(a) - timeOf(b)).slice(0, MAX_SHOWN_RECORDS)
}

function timeOf({ timestamp }: PartRecord): number {
  return Date.parse(timestamp)
}

const DEFAULT_LISTED = 100

/** The part of the list that a query asks for, or its fault. */
function readPage(query: URLSearchParams): RowPage | string {
  const most = Number(query.get('limit') ?? DEFAULT_LISTED)
  if (!Number.isInteger(most) || most < 1 || most > MOST_LISTED)
    return `limit is not a number from 1 to ${MOST_LISTED}.`
  const until = query.get('until')
  const untilMs = until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until)
  return Number.isNaN(untilMs) ? 'until is not a time.' : { most, untilMs }
}

type RecentExchange = AdminBody<'Recent'>['exchanges'][number]

/** The end of background work, as its service recorded it. */
type EndedWork = RecentExchange['ended'][number]

const ENDED = 'agentic.operation.finished'
const MAX_ENDED = 40

async function recentExchanges(
  recent: RecentExchanges,
  page: RowPage,
  { posted, otherWorkers }: OtherSources,
): Promise<RecentExchange[]> {
  const shown = mergeRows(
    [...recentRows(recent, page), ...((await otherWorkers?.recent(page)) ?? [])],
    page.most,
  )
  const others = new Map(
    shown.map(({ correlationId }) => [
      correlationId,
      { parts: new Set([OWN_PART]), ended: [] as EndedWork[] },
    ]),
  )
  for (const record of posted.all()) {
    const found = others.get(record.correlation_id)
    if (found === undefined) continue
    found.parts.add(record.part)
    if (record.event_type === ENDED && found.ended.length < MAX_ENDED) found.ended.push(endOf(record))
  }
  return shown.map((row) => {
    const { parts = new Set([OWN_PART]), ended = [] } = others.get(row.correlationId) ?? {}
    return { ...row, ended, parts: [...parts] }
  })
}

function endOf({ request_id, tenant_id, outcome, timestamp, attributes }: PartRecord): EndedWork {
  const status = Number(attributes['status']) || 0
  return { requestId: request_id, tenant: tenant_id, outcome, status, at: timestamp }
}

async function takeRecords(
  exchange: Exchange,
  posted: PostedRecords,
  allowance: TokenBucket,
): Promise<AdminAnswer> {
  const { body, headers, query } = exchange
  // Checked before a byte is read; a body without a length counts as the largest.
  if ((body.length ?? 0) > MAX_POSTED_BYTES) return tooLarge()
  if (!allowance.take(body.length ?? MAX_POSTED_BYTES))
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
