import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome } from '@agentic-rest/profile'
import type { Call } from '../wrong-service.ts'
import { addTo } from './memory.ts'
import { takeSlot } from './streams.ts'

/** The source of an answer. */
export type Place =
  | 'success'
  | 'created'
  | 'accepted'
  | 'clarification'
  | 'validation'
  | 'approval'
  | 'forbidden'
  | 'conflict'
  | 'failed-dependency'
  | 'error'
  | 'status'
  | 'refusal'
  | 'deadline'
  | 'stream'
  | 'limit'
  | 'graph-failed'
  | 'graph-clarification'
  | 'graph-approval'
  | 'traceless'
  | 'mismatched'
  | 'unreachable'
  | 'echo'
  | 'orders'
  | 'list'
  | 'metrics'

type Route = (call: Call) => Outcome | 'stream' | Promise<Outcome | 'stream'>

const clarification = (name: string): Outcome => ({
  type: 'clarification_required',
  message: `What is the ${name}?`,
  requiredInputs: [{ name, location: 'body', type: 'string', required: true, question: `Which ${name}?` }],
})

const approval: Outcome = {
  type: 'approval_required',
  message: 'Somebody has to agree.',
  approvalToken: 'apt-1',
  approver: { name: 'export office' },
}

const failure = (type: 'forbidden' | 'failed_dependency' | 'error', code: string): Outcome => ({
  type,
  code,
  message: 'It did not work.',
})

const answerOnce =
  (outcome: Outcome): Route =>
  () =>
    outcome

/** Every route by method and path, with the place name for its violations. */
export const routes: ReadonlyMap<string, readonly [Place, Route]> = new Map<string, readonly [Place, Route]>([
  ['GET /items/1', ['success', answerOnce({ type: 'success', body: { id: 'i-1' } })]],
  ['POST /items', ['created', answerOnce({ type: 'created', body: { id: 'i-2' } })]],
  [
    'POST /jobs',
    ['accepted', answerOnce({ type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' })],
  ],
  ['GET /operations/op-1/status', ['status', answerOnce({ type: 'success', body: { status: 'working' } })]],
  ['GET /elsewhere/op-1', ['status', answerOnce({ type: 'success', body: { status: 'working' } })]],
  ['POST /goals', ['clarification', answerOnce(clarification('goal'))]],
  [
    'POST /faults',
    [
      'validation',
      answerOnce({
        type: 'validation_failed',
        message: 'Wrong.',
        errors: [{ field: 'goal', message: 'is odd' }],
      }),
    ],
  ],
  ['POST /gates', ['approval', answerOnce(approval)]],
  ['POST /secrets', ['forbidden', guard]],
  [
    'POST /clashes',
    [
      'conflict',
      answerOnce({ type: 'conflict', code: 'BUSY', message: 'Busy.', conflictingResourceId: 'i-1' }),
    ],
  ],
  ['POST /outages', ['failed-dependency', answerOnce(failure('failed_dependency', 'SOURCE_DOWN'))]],
  ['POST /bugs', ['error', answerOnce(failure('error', 'BROKEN'))]],
  ['POST /slow', ['deadline', beSlow]],
  ['POST /stream', ['stream', stream]],
  ['POST /limited', ['limit', limited]],
  ['POST /graph/outage', ['graph-failed', answerOnce(failure('failed_dependency', 'INVENTORY_DOWN'))]],
  ['POST /graph/question', ['graph-clarification', answerOnce(clarification('shipFrom'))]],
  ['POST /graph/gate', ['graph-approval', answerOnce(approval)]],
  ['POST /graph/stock', ['list', askForStock]],
  ['GET /behind/checks', ['list', listChecks]],
  ['POST /traceless', ['traceless', answerOnce(failure('error', 'TRACE_MISSING'))]],
  ['POST /mismatched', ['mismatched', answerOnce(failure('error', 'TRACE_MISMATCH'))]],
  ['POST /unreachable', ['unreachable', answerUnreachable]],
  ['POST /echo', ['echo', echo]],
  ['POST /orders', ['orders', order]],
  ['GET /orders', ['list', listOrders]],
])

/** Bob lacks the role. */
function guard({ request, does }: Call): Outcome {
  const isBob = request.headers.authorization === 'Bearer token-of-bob'
  if (isBob || does('forbids-everybody')) return failure('forbidden', 'ROLE_REQUIRED')
  return { type: 'success', body: { secret: 'kept' } }
}

function answerUnreachable({ request, does }: Call): Outcome {
  if (does('resets-when-unreachable')) request.socket.destroy()
  return failure('failed_dependency', 'UPSTREAM_UNAVAILABLE')
}

/** The headers that reach the upstream. */
function echo({ request: { headers }, does }: Call): Outcome {
  const isOdd = (name: string) => /[_.]/.test(name)
  const isOwned = (name: string) =>
    isOdd(name) ? !does('forwards-odd-spellings') : /^x-(actor-|agentic-identity$)/.test(name)
  const passed = Object.entries(headers).filter(([name]) => does('forwards-every-header') || !isOwned(name))
  if (does('refuses-forged-headers') && passed.length < Object.keys(headers).length)
    return failure('forbidden', 'FORGED_HEADERS')
  return { type: 'success', body: { headers: Object.fromEntries(passed) } }
}

const DEADLINE_MS = 250
const LATE_MS = 2000

async function beSlow({ does }: Call): Promise<Outcome> {
  // Wait: the service is slow on purpose; the time of its answer is judged.
  if (!does('deadline-at-once')) await pause(does('deadline-late') ? LATE_MS : DEADLINE_MS)
  return failure('error', 'EXECUTION_TIMEOUT')
}

function wantsStream({ request, does }: Call): boolean {
  return request.headers.accept === 'text/event-stream' || does('stream-for-all')
}

function stream(call: Call): Outcome | 'stream' {
  return wantsStream(call) ? 'stream' : { type: 'success', body: { text: 'all at once' } }
}

function limited(call: Call): Outcome | 'stream' {
  if (takeSlot(call)) return 'stream'
  return {
    type: 'error',
    condition: 'limit_exceeded',
    code: 'LIMIT_EXCEEDED',
    message: 'Too many streams.',
    retryAfter: 60,
  }
}

function order({ request, tenant, trace, memory, does }: Call): Outcome {
  const key = `${tenant} ${request.headers['idempotency-key']}`
  const known = memory.outcomes.get(key)
  if (known === undefined || does('retry-again')) addTo(memory.orders, tenant, `o-${memory.next()}`)
  if (known !== undefined) return orderAgain(known, { request, trace, memory, does })
  const body = { id: memory.orders.get(tenant)?.at(-1) }
  memory.outcomes.set(key, body)
  return { type: 'created', body }
}

type Retry = Pick<Call, 'request' | 'trace' | 'memory' | 'does'>

function orderAgain(known: unknown, { request, trace, memory, does }: Retry): Outcome {
  if (request.url?.includes('?') && !does('key-for-any-request'))
    return {
      type: 'validation_failed',
      message: 'Wrong.',
      errors: [{ field: 'Idempotency-Key', message: 'was used for another request' }],
    }
  if (does('retry-conflicts')) return { type: 'conflict', code: 'KEY_USED', message: 'Used.' }
  memory.replays.add(trace.requestId)
  return { type: 'created', body: does('retry-other-body') ? { id: 'another' } : known }
}

function listOrders({ tenant, memory }: Call): Outcome {
  return { type: 'success', body: { items: memory.orders.get(tenant) ?? [] } }
}

/** Agent A calls agent B, which records each check once per key. */
function askForStock({ request, tenant, trace, memory, does }: Call): Outcome {
  const key = does('hop-without-key') ? `${memory.next()}` : `hop ${request.headers['idempotency-key']}`
  if (!memory.outcomes.has(key)) {
    const correlationId = does('hop-other-correlation') ? crypto.randomUUID() : trace.correlationId
    addTo(memory.checks, does('hop-other-tenant') ? 'nobody' : tenant, { correlationId })
  }
  memory.outcomes.set(key, true)
  return { type: 'success', body: { stock: 7 } }
}

function listChecks({ tenant, memory }: Call): Outcome {
  return { type: 'success', body: { checks: memory.checks.get(tenant) ?? [] } }
}
