import { type StreamEvent, writeEvent } from './event-stream.ts'
import { headers } from './headers.ts'
import { isObject } from './json-value.ts'
import type { Outcome } from './outcome.ts'
import { outcomes, outcomeTypes } from './outcomes.ts'
import { parseJson } from './parse-json.ts'
import { type Reading, readOutcome } from './read-outcome.ts'
import type { Trace } from './trace.ts'
import { writeOutcome } from './write-outcome.ts'

const OUTCOME = 'outcome'
const ERROR = 'error'

/** The names of last frames. No other event of a service has one of them. */
export const lastFrameNames: readonly string[] = [OUTCOME, ERROR]

/** The last frame of a stream that ended with an outcome: its type, its status, and the body of an ordinary answer. */
export function writeOutcomeFrame(outcome: Outcome, trace: Trace): string {
  const { status, body } = writeOutcome(outcome, trace)
  return writeEvent({ event: OUTCOME, data: `{"type":"${outcome.type}","status":${status},"body":${body}}` })
}

/** The last frame of a broken stream: the error body of an ordinary answer (decision 26). */
export function writeErrorFrame(outcome: Outcome, trace: Trace): string {
  return writeEvent({ event: ERROR, data: writeOutcome(outcome, trace).body })
}

type Read = Extract<Reading, { ok: true }>

/** The end of a stream: a returned outcome, or the failure of a broken stream. */
export interface LastFrame extends Pick<Read, 'outcome' | 'trace'> {
  readonly event: 'outcome' | 'error'
}

/** Reads a last frame; undefined for any other event, also for an `error` or `outcome` of a foreign service. */
export function readLastFrame({ event, data }: StreamEvent): LastFrame | undefined {
  const reading =
    event === OUTCOME ? readOutcomeData(data) : event === ERROR ? readErrorData(data) : undefined
  return reading && { event: event as LastFrame['event'], outcome: reading.outcome, trace: reading.trace }
}

function readOutcomeData(data: string): Read | undefined {
  const parsed = parseJson(data, { isMessage: true })
  if (parsed.fault || !isObject(parsed.value)) return undefined
  const { type: name, status, body } = parsed.value
  const type = outcomeTypes.find((known) => known === name)
  if (type === undefined || typeof status !== 'number' || body === undefined) return undefined
  const answer = {
    status,
    headers: { [headers.contentType]: outcomes[type].mediaType },
    body: JSON.stringify(body),
  }
  const reading = readOutcome(answer)
  return reading.ok && reading.outcome.type === type ? reading : undefined
}

function readErrorData(data: string): Read | undefined {
  for (const type of ['error', 'failed_dependency', 'forbidden'] as const) {
    const { status, mediaType } = outcomes[type]
    const reading = readOutcome({ status, headers: { [headers.contentType]: mediaType }, body: data })
    if (reading.ok) return reading
  }
  return undefined
}
