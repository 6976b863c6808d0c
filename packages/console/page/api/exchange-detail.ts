import { type AdminReading, adminBodies } from '@agentic-rest/profile/admin'
import { shownCall } from './mcp-call.ts'

/** A remembered request, step by step. */
export type ExchangeDetail = AdminReading<'Exchange'>

/** Reads the answer of `/api/exchanges/{requestId}`. */
export function readExchangeDetail(value: unknown): ExchangeDetail {
  const detail = adminBodies.Exchange.read(value)
  return { ...detail, mcp: shownCall(detail.mcp) }
}
