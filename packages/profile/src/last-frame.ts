import { type StreamEvent, writeEvent } from './event-stream.ts'
import { headers } from './headers.ts'
import { isObject } from './json-value.ts'
import type { Outcome } from './outcome.ts'
import { type OutcomeType, outcomes, outcomeTypes } from './outcomes.ts'
import { parseJson } from './parse-json.ts'
import { type Reading, readOutcome } from './read-outcome.ts'
import type { Trace } from './trace.ts'
import { writeOutcome } from './write-outcome.ts'

const OUTCOME = 'outcome'
const ERROR = 'error'

/** The names of last frames. No other event of a service has one of them. */
export const lastFrameNames: readonly string[] = [OUTCOME, ERROR]

/** The part of an answer that is neither its status nor its body. */
export interface OutcomeFrameOptions {
  /** The `Location` of the answer: of a created resource, or of an approval. */
  readonly location?: string | undefined
}

/** The last frame of a stream that ended with an outcome: its type, its status, its address, and the body of an ordinary answer. */
export function writeOutcomeFrame(
  outcome: Outcome,
  trace: Trace,
  { location }: OutcomeFrameOptions = {},
): string {
  const { status, body } = writeOutcome(outcome, trace)
  const address = location === undefined ? '' : `"location":${JSON.stringify(location)},`
  return writeEvent({
    event: OUTCOME,
    data: `{"type":"${outcome.type}","status":${status},${address}"body":${body}}`,
  })
}

/** The limit of the events of a stream, for its parser: an outcome may be as long as an ordinary answer. */
export function withOutcomeLimit(maxEventLength: number, maxAnswerLength: number): (event: string) => number {
  return (event) => (event === OUTCOME ? Math.max(maxEventLength, maxAnswerLength) : maxEventLength)
}

/** The last frame of a broken stream: the error body of an ordinary answer (decision 26). */
export function writeErrorFrame(outcome: Outcome, trace: Trace): string {
  return writeEvent({ event: ERROR, data: writeOutcome(outcome, trace).body })
}

type Read = Extract<Reading, { ok: true }>

/** The end of a stream: a returned outcome, or the failure of a broken stream. */
export interface LastFrame extends Pick<Read, 'outcome' | 'trace'> {
  readonly event: 'outcome' | 'error'
  /** The `Location` that an ordinary answer would have. */
  readonly location?: string | undefined
}

/** Reads a last frame; undefined for any other event, also for an `error` or `outcome` of a foreign service. */
export function readLastFrame({ event, data }: StreamEvent): LastFrame | undefined {
  if (event === OUTCOME) return readOutcomeData(data)
  const reading = event === ERROR ? readErrorData(data) : undefined
  return reading && { event: ERROR, outcome: reading.outcome, trace: reading.trace }
}

function readOutcomeData(data: string): LastFrame | undefined {
  const parsed = parseJson(data, { isMessage: true })
  if (parsed.fault || !isObject(parsed.value)) return undefined
  const { type: name, status, location, body } = parsed.value
  const type = outcomeTypes.find((known) => known === name)
  if (type === undefined || typeof status !== 'number' || body === undefined) return undefined
  if (location !== undefined && typeof location !== 'string') return undefined
  const reading = readAs(type, JSON.stringify(body), status)
  if (!reading.ok || reading.outcome.type !== type) return undefined
  const { outcome, trace } = reading
  // `Headers` would throw for a text that no header can have.
  const isAddress = location !== undefined && /^[\x20-\x7e]+$/.test(location)
  return { event: OUTCOME, outcome, trace, ...(isAddress && { location }) }
}

function readErrorData(data: string): Read | undefined {
  for (const type of ['error', 'failed_dependency', 'forbidden'] as const) {
    const reading = readAs(type, data)
    if (reading.ok) return reading
  }
  return undefined
}

/** Reads a body as the answer of one type. */
function readAs(type: OutcomeType, body: string, status: number = outcomes[type].status): Reading {
  return readOutcome({ status, headers: { [headers.contentType]: outcomes[type].mediaType }, body })
}
