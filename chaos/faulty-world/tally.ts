import { headers, outcomes, readOutcome } from '@agentic-rest/profile'
import type { Ending, WireAnswer } from '../caller.ts'
import type { PlannedRequest } from './planned-request.ts'

/** The extra time of stream deadlines (specification, Limits). */
export const STREAM_SURPLUS_MS = 30_000

/** The results of all requests. */
export interface Tally {
  answers: number
  aborts: number
  hung: number
  invalid: number
  failedWithoutFault: number
  latestMs: number
  /** For each fault, the requests sent to it and those that ended as without a listener. */
  readonly met: Map<string, { sent: number; unserved: number }>
  /** The latest end. */
  latest: string
  readonly outcomes: Map<string, number>
  readonly examples: string[]
}

/** An empty tally. */
export function newTally(): Tally {
  return {
    answers: 0,
    aborts: 0,
    hung: 0,
    invalid: 0,
    failedWithoutFault: 0,
    latestMs: Number.NEGATIVE_INFINITY,
    met: new Map(),
    latest: '',
    outcomes: new Map(),
    examples: [],
  }
}

/** The input for the judgement of one request. */
export interface Judging {
  readonly tally: Tally
  readonly deadlineMs: number
  /** Time in which this process did not run: the gateway is not to blame for it. */
  readonly lostMs: number
}

/** Counts the result of a request. */
export function judge(plan: PlannedRequest, ending: Ending, { tally, deadlineMs, lostMs }: Judging): void {
  const surplus = plan.kind === 'events' ? STREAM_SURPLUS_MS : 0
  const label = ending.type === 'answer' ? labelOf(plan, ending.answer) : ending.type
  const lateMs = ending.ms - deadlineMs - surplus - lostMs
  if (lateMs > tally.latestMs) {
    tally.latestMs = lateMs
    tally.latest = `${plan.id} ${plan.fault?.name ?? 'no fault'}: ${label}`
  }
  tally.outcomes.set(label, (tally.outcomes.get(label) ?? 0) + 1)
  meet(plan, label, tally)
  const tell = (what: string) => {
    if (tally.examples.length < 20)
      tally.examples.push(`${what}: ${JSON.stringify({ ...plan, ending })}`.slice(0, 600))
  }
  switch (ending.type) {
    case 'answer':
      tally.answers += 1
      if (label.startsWith('invalid')) {
        tally.invalid += 1
        tell(label)
      }
      break
    case 'abort':
      tally.aborts += 1
      break
    case 'refused':
    case 'hung':
      tally.hung += 1
      tell(ending.type)
  }
  const isLost = lostMs > deadlineMs / 4 && label === 'error EXECUTION_TIMEOUT'
  if (!isLost && !isExcused(plan, label)) {
    tally.failedWithoutFault += 1
    tell('failed without a fault')
  }
}

function meet({ fault }: PlannedRequest, label: string, { met }: Tally): void {
  if (fault === undefined) return
  const { sent, unserved } = met.get(fault.name) ?? NEVER_MET
  met.set(fault.name, { sent: sent + 1, unserved: unserved + (UNSERVED.has(label) ? 1 : 0) })
}

/** The counts of a fault without requests. */
export const NEVER_MET = { sent: 0, unserved: 0 }
/** The results of requests to an address that accepts no connections. */
const UNSERVED = new Set(['failed_dependency UPSTREAM_UNAVAILABLE', 'error EXECUTION_TIMEOUT'])

const expectedOf = { items: 'success', questions: 'clarification_required', events: 'stream' } as const

/** Allowed results with an unknown key: fetching keys may fail or be slow. */
const KEY_TROUBLE = new Set([
  'error INVALID_TOKEN',
  'error EXECUTION_TIMEOUT',
  'failed_dependency JWKS_UNAVAILABLE',
])

/** Whether a result is allowed. A POST without a key may fail on an idle connection that another fault closed. */
function isExcused({ kind, fault, token, method, keyed }: PlannedRequest, label: string): boolean {
  if (fault !== undefined || label === expectedOf[kind]) return true
  if (token === 'unknownKey') return KEY_TROUBLE.has(label)
  if (token === 'person' && label === 'failed_dependency TENANT_LOOKUP_UNAVAILABLE') return true
  return method === 'POST' && !keyed && label === 'failed_dependency UPSTREAM_UNAVAILABLE'
}

/** The outcome with its code, or the fault of the answer. */
function labelOf({ id, kind }: PlannedRequest, answer: WireAnswer): string {
  if (answer.headers[headers.requestId.toLowerCase()] !== id) return 'invalid: the answer of another request'
  if (answer.headers['content-type']?.startsWith('text/event-stream')) return streamLabel(kind, answer)
  const reading = readOutcome(answer)
  if (!reading.ok) return `invalid: ${answer.status} ${reading.violations[0]?.rule ?? 'no outcome'}`
  const { outcome, trace } = reading
  if (trace?.requestId !== id) return 'invalid: the trace of another request'
  if (outcome.type === 'success' && (outcome.body as { id?: string }).id !== id)
    return 'invalid: the body of another request'
  return 'code' in outcome && outcome.code !== undefined ? `${outcome.type} ${outcome.code}` : outcome.type
}

/** A stream is complete, or its last frame names the reason. */
function streamLabel(kind: PlannedRequest['kind'], { status, body }: WireAnswer): string {
  if (kind !== 'events' || status !== outcomes.success.status)
    return 'invalid: a stream that nobody asked for'
  if (body.endsWith('data: [DONE]\n\n')) return 'stream'
  const [, code] = /\nevent: error\ndata: \{"type":"\w+","code":"(\w+)".*\}\n\n$/.exec(`\n${body}`) ?? []
  return code === undefined ? 'invalid: a stream without an end' : `stream ${code}`
}
