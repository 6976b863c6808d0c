import { readFile } from 'node:fs/promises'
import { conditions, outcomes, parseJson } from '@agentic-rest/profile'
import { adminBodies, partRecord } from '@agentic-rest/profile/admin'
import { adminUrl, askAdmin, faultOf } from '../ask-admin.ts'
import { type ExplainedRequest, fromExchange, fromRecord } from './explained-request.ts'

/** The requests of an id by time, or why they cannot be told. */
export type Found =
  | { readonly requests: readonly ExplainedRequest[]; readonly notes?: readonly string[] }
  | { readonly fault: string }

/** The admin listener to ask. */
export interface AdminSource {
  readonly admin: string
  readonly token: string | undefined
}

const TIMEOUT_MS = 10_000
/** Requests of one correlation id that are told step by step. */
const MOST_EXCHANGES = 50

/** Asks a gateway for a request id, and then for everything with its correlation id. */
export async function findAtGateway(id: string, source: AdminSource): Promise<Found> {
  const first = await ask(exchangePath(id), source)
  if ('fault' in first) return first
  const named = fromExchange(first.body)
  const correlationId = named?.correlationId ?? id
  const answer = await ask(`/api/records?correlation_id=${encodeURIComponent(correlationId)}`, source)
  if ('fault' in answer) return answer
  const records = adminBodies.Records.read(answer.body).records.flatMap((record) => fromRecord(record) ?? [])
  const requests: ExplainedRequest[] = []
  for (const [index, record] of records.entries()) {
    // The request that was asked for has its steps, however many came before it.
    if (named !== undefined && isSame(record, named)) requests.push(named)
    else requests.push((index < MOST_EXCHANGES ? await detailOf(record, source) : undefined) ?? record)
  }
  if (named !== undefined && !requests.some((request) => isSame(request, named))) requests.push(named)
  return { requests: requests.toSorted(byTime) }
}

const exchangePath = (id: string) => `/api/exchanges/${encodeURIComponent(id)}`

function isSame(first: ExplainedRequest, second: ExplainedRequest): boolean {
  return first.requestId === second.requestId && first.spanId === second.spanId
}

async function detailOf(
  record: ExplainedRequest,
  source: AdminSource,
): Promise<ExplainedRequest | undefined> {
  if (record.part !== 'gateway') return undefined
  const span = record.spanId === undefined ? '' : `?span_id=${encodeURIComponent(record.spanId)}`
  const answer = await ask(`${exchangePath(record.requestId)}${span}`, source)
  const detail = 'fault' in answer ? undefined : fromExchange(answer.body)
  // The steps of another request with the same id would explain the wrong one.
  return detail !== undefined && isSame(detail, record) ? detail : undefined
}

async function ask(
  path: string,
  { admin, token }: AdminSource,
): Promise<{ readonly body: unknown } | { readonly fault: string }> {
  const url = adminUrl(path, admin)
  if (url === undefined) return { fault: '--admin is not an http or https URL' }
  const answer = await askAdmin({ url, token, method: 'GET', timeoutMs: TIMEOUT_MS })
  if (answer === undefined) return { fault: `no admin listener of a gateway answers at ${url.origin}` }
  if (answer.status === outcomes.success.status || answer.status === conditions.not_found)
    return { body: answer.body }
  return { fault: `the gateway did not answer: ${faultOf(answer)}` }
}

/** Reads audit files: JSON lines of the exporters stdout and file, of gateways and services. */
export async function findInFiles(id: string, files: readonly string[]): Promise<Found> {
  const all: ExplainedRequest[] = []
  const notes: string[] = []
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) return { fault: `${file} cannot be read` }
    let damaged = 0
    // Checkpoints and other lines are no records.
    for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
      const value = parseJson(line).value
      const record = fromRecord(partRecord.read(value))
      if (record !== undefined) all.push(record)
      if (value === undefined) damaged += 1
    }
    if (damaged > 0) notes.push(`${file}: damaged lines that were skipped: ${damaged}`)
  }
  const ids = new Set(
    all.filter(({ requestId }) => requestId === id).map(({ correlationId }) => correlationId),
  )
  const requests = all.filter(({ correlationId }) => correlationId === id || ids.has(correlationId))
  return { requests: requests.toSorted(byTime), notes }
}

function byTime(first: ExplainedRequest, second: ExplainedRequest): number {
  return Date.parse(first.startedAt) - Date.parse(second.startedAt)
}
