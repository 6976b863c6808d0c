import { malformedStatuses, type OutcomeType, outcomes, statusOf, writeOutcome } from '@agentic-rest/profile'
import { markdownTable, tableText } from './generated.ts'

/** One row of the page. */
interface CodeRow {
  readonly code: string
  readonly status: number
  readonly type: OutcomeType
  readonly message: string
  readonly cause: string
  readonly fix: string
}

/** All codes of the gateway: one heading and one table for each status. */
export async function errorTables(): Promise<string> {
  const byStatus = Map.groupBy(await codeRows(), ({ status }) => status)
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, rows]) => statusSection(status, rows))
    .join('\n\n')
}

async function codeRows(): Promise<CodeRow[]> {
  const { errorCodeRow, errorCodes, refusal } = await import('../packages/gateway/src/errors.ts')
  const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[]
  const rows = codes.map((code) => {
    const { type, message, cause, fix } = errorCodeRow(code)
    return { code, status: statusOf(refusal(code)), type, message, cause, fix }
  })
  return [...rows, await validationRow()]
}

/** The answer whose `errors` differ from request to request. Its code and message come from the profile. */
async function validationRow(): Promise<CodeRow> {
  const { invalidRequest, validationFailed } = await import('../packages/gateway/src/errors.ts')
  const outcome = invalidRequest('', '')
  const body: { code: string } = JSON.parse(
    writeOutcome(outcome, { correlationId: '-', requestId: '-' }).body,
  )
  return {
    code: body.code,
    status: statusOf(outcome),
    type: outcome.type,
    ...validationFailed,
  }
}

function statusSection(status: number, rows: readonly CodeRow[]): string {
  const [{ type } = { type: 'error' as const }] = rows
  const heading = `### ${status} \`${type}\`\n\nMedia type \`${outcomes[type].mediaType}\`.`
  const table = markdownTable(
    ['Code', 'Status', 'Message', 'Cause', 'Fix'],
    rows.map(({ code, message, cause, fix }) => [
      `<a id="${code.toLowerCase()}"></a>\`${code}\``,
      String(status),
      ...[message, cause, fix].map(tableText),
    ]),
  )
  return `${heading}\n\n${table}`
}

const malformed = {
  badRequest: 'The head or the body of the request is not valid HTTP/1.1.',
  requestTimeout: 'The head or the body of the request did not arrive in time.',
  contentTooLarge: 'The extensions of a chunk are too large.',
  uriTooLong: 'The request target is too long.',
  headersTooLarge:
    'The head exceeds `gateway.limits.max_header_bytes`, or has more lines than `max_headers`.',
} satisfies Record<keyof typeof malformedStatuses, string>

/** The bare answers to malformed requests (decision 3). */
export function malformedTable(): string {
  const names = Object.keys(malformedStatuses) as (keyof typeof malformedStatuses)[]
  return markdownTable(
    ['Status', 'When'],
    names.map((name) => [String(malformedStatuses[name]), malformed[name]]),
  )
}
