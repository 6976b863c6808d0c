import type { Ending } from '../caller.ts'
import { labelOf } from './label-answer.ts'
import type { PlannedRequest } from './planned-request.ts'

/** Deadlines of streams are so much later (specification, Limits). */
export const STREAM_SURPLUS_MS = 30_000

/** What came of all requests. */
export interface Tally {
  answers: number
  aborts: number
  hung: number
  invalid: number
  failedWithoutFault: number
  latestMs: number
  /** Of each fault, the requests that were to meet it, and those of them that show that nobody was there. */
  readonly met: Map<string, { sent: number; unserved: number }>
  /** What came latest. */
  latest: string
  readonly outcomes: Map<string, number>
  readonly examples: string[]
}

/** Of nothing yet. */
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

/** What one request is judged by. */
export interface Judging {
  readonly tally: Tally
  readonly deadlineMs: number
  /** What the machine took from the services and from whoever waits: it is not the gateway that was late. */
  readonly lostMs: number
}

/** Counts what came of a request. */
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

/** A fault that no request was to meet. */
export const NEVER_MET = { sent: 0, unserved: 0 }
/** How a request to an address ends at which nobody takes connections up. */
const UNSERVED = new Set(['failed_dependency UPSTREAM_UNAVAILABLE', 'error EXECUTION_TIMEOUT'])

const expectedOf = { items: 'success', questions: 'clarification_required', events: 'stream' } as const

/** Keys may be slow to come, too. */
const KEY_TROUBLE = new Set([
  'error INVALID_TOKEN',
  'error EXECUTION_TIMEOUT',
  'failed_dependency JWKS_UNAVAILABLE',
])

/** Whether a request may end like this. An idle connection can be gone, so a POST without a key may fail by its neighbours. */
function isExcused({ kind, fault, token, method, keyed }: PlannedRequest, label: string): boolean {
  if (fault !== undefined || label === expectedOf[kind]) return true
  if (token === 'unknownKey') return KEY_TROUBLE.has(label)
  if (token === 'person' && label === 'failed_dependency TENANT_LOOKUP_UNAVAILABLE') return true
  return method === 'POST' && !keyed && label === 'failed_dependency UPSTREAM_UNAVAILABLE'
}
