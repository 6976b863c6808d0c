import { type AdminReading, adminBodies } from '@agentic-rest/profile/admin'
import { knownTime } from '../shell/format.ts'
import { shownCall, viaOf } from './mcp-call.ts'
import { nameOutcome } from './name-outcome.ts'

/** One request that passed the gateway. */
export interface RequestRow extends AdminReading<'RequestRow'> {
  /** The ways it can be searched by. */
  readonly via: readonly string[]
  /** The end in milliseconds, for the order of rows; 0 while it is unknown. */
  readonly endedMs: number
}

/** Reads the data of a `request` event. */
export function readRow(value: unknown): RequestRow {
  return rowOf(adminBodies.RequestRow.read(value))
}

function rowOf(read: AdminReading<'RequestRow'>): RequestRow {
  const { at, durationMs, outcome, streamed } = read
  const mcp = shownCall(read.mcp)
  return {
    ...read,
    outcome: nameOutcome(outcome, streamed),
    mcp,
    via: viaOf(mcp),
    endedMs: (knownTime(at) ?? -durationMs) + durationMs,
  }
}

/** One page of the remembered requests. */
export interface RequestPage {
  readonly rows: readonly RequestRow[]
  /** Where the next page begins; null after the last one. */
  readonly next: number | null
}

/** Reads the answer of `/api/requests`. */
export function readRequestPage(value: unknown): RequestPage {
  const { requests, next } = adminBodies.Requests.read(value)
  return { rows: requests.map(rowOf), next }
}
