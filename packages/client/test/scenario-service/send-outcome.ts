import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'

/** A complete request. */
export interface Incoming {
  readonly method: string
  readonly url: string
  /** The path without its query, in decoded segments. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly trace: Trace
}

/** The handler for a first path segment. */
export type Handler = (request: Incoming, response: ServerResponse, requests: readonly Incoming[]) => void

/** Sends an outcome, encoded by the profile. */
export function sendOutcome(
  response: ServerResponse,
  trace: Trace,
  outcome: Outcome,
  fields: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = writeOutcome(outcome, trace)
  response.writeHead(status, { ...headers, ...fields }).end(body)
}
