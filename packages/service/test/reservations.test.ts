import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  clarificationRequired,
  conflict,
  created,
  defineOperation,
  error,
  type Outcome,
  type RunContext,
  type Sql,
  success,
} from '../src/index.ts'
import { type Answer, ask, expectAnswer } from './harness/ask.ts'

const store = sharedStore(
  'rooms (tenant text, room text, operation_id text, state text, PRIMARY KEY (tenant, room))',
  'released (position serial, operation_id text, status text)',
)

const taken = conflict({ code: 'ROOM_TAKEN', message: 'The room is taken.' })

type StayContext = RunContext<{ room: string }>

interface Hotel {
  readonly run?: (context: StayContext) => Outcome | Promise<Outcome>
  /** Work is accepted but not run, as if all workers were busy. */
  readonly workers?: number
  readonly onAccept?: (sql: Sql) => Promise<void>
  readonly onRelease?: (sql: Sql) => Promise<void>
  readonly needsApproval?: boolean
}

/** A hotel that reserves a room with the 202 and releases it without an effect. */
async function startHotel({ run, workers = 4, onAccept, onRelease, needsApproval = false }: Hotel = {}) {
  const stay = defineOperation({
    id: 'stay',
    method: 'POST',
    path: '/stays',
    input: z.object({ room: z.string() }),
    idempotent: true,
    async: true,
    approval: {
      role: 'boss',
      when: () => needsApproval && { message: 'Stay?', approver: { name: 'Boss' } },
    },
    async accept({ input, tenant, operationId }, sql) {
      const rows = await sql.query(
        `INSERT INTO rooms VALUES ($1, $2, $3, 'reserved') ON CONFLICT DO NOTHING RETURNING room`,
        [tenant, input.room, operationId],
      )
      await onAccept?.(sql)
      return rows.length === 0 ? taken : undefined
    },
    async release({ tenant, operationId, status }, sql) {
      await sql.query('DELETE FROM rooms WHERE tenant = $1 AND operation_id = $2', [tenant, operationId])
      await sql.query('INSERT INTO released (operation_id, status) VALUES ($1, $2)', [operationId, status])
      await onRelease?.(sql)
    },
    run: run ?? occupy,
  })
  const leave = defineOperation({
    id: 'leave',
    method: 'POST',
    path: '/operations-of-rooms/{operationId}/leave',
    run: ({ params, commit, cancelOperation }) =>
      commit(async (sql): Promise<Outcome> => {
        const result = await cancelOperation(params.operationId, sql)
        return result === 'cancelled' ? success({ result }) : conflict({ code: result, message: 'm' })
      }),
  })
  const runtime = { operations: { workers, pollMilliseconds: 20, backoffSeconds: 0.01, maxAttempts: 2 } }
  const started = await startService({ operations: [stay, leave], store, runtime })
  const send = (headers: Record<string, string> = {}) =>
    ask(`${started.url}/stays`, { json: { room: '1' }, headers: { prefer: 'respond-async', ...headers } })
  const post = (path: string, headers: Record<string, string> = {}) =>
    ask(started.url + path, { method: 'POST', headers })
  return { ...started, send, post }
}

async function occupy({ operationId, tenant, commit }: StayContext): Promise<Outcome> {
  return commit(async (sql) => {
    const [room] = await sql.query(
      `UPDATE rooms SET state = 'occupied' WHERE tenant = $1 AND operation_id = $2 RETURNING room, state`,
      [tenant, operationId],
    )
    return created(room ?? {})
  })
}

const rooms = () => store.query('SELECT room, operation_id, state FROM rooms')
const released = () => store.query('SELECT operation_id, status FROM released ORDER BY position')

function operationOf(answer: Answer): string {
  expect(answer.status).toBe(202)
  return JSON.parse(answer.text).operationId
}

async function endOf(url: string, operationId: string) {
  let body: { status: string; outcome?: string; result?: object } = { status: '' }
  await expect
    .poll(
      async () => {
        body = JSON.parse((await ask(`${url}/operations/${operationId}/status`)).text)
        return body.status
      },
      { interval: 10 },
    )
    .not.toBe('working')
  return body
}

describe('what accept reserves', () => {
  it('is there when the 202 is, also when nobody is free to work on it, so the next request meets it', async () => {
    const { send } = await startHotel({ workers: 0 })
    const operationId = operationOf(await send())
    expect(await rooms()).toEqual([{ room: '1', operation_id: operationId, state: 'reserved' }])
    const second = await send()
    expectAnswer(second, 409, { ...taken })
    expect(second.headers.has('preference-applied')).toBe(false)
    expect(await store.query('SELECT operation_id FROM agentic_operations')).toEqual([
      { operation_id: operationId },
    ])
  })

  it('is found by the run under the id of its operation', async () => {
    const { url, send } = await startHotel()
    const operationId = operationOf(await send())
    expect(await endOf(url, operationId)).toMatchObject({
      status: 'completed',
      result: { room: '1', state: 'occupied' },
    })
    expect(await released()).toEqual([])
  })

  it('is not reserved for a caller that waits, whose run has no operation', async () => {
    const { url } = await startHotel({
      run: ({ operationId }) => success({ operationId: operationId ?? null }),
    })
    const answer = await ask(`${url}/stays`, { json: { room: '1' } })
    expectAnswer(answer, 200, { operationId: null })
    expect(await rooms()).toEqual([])
  })

  it('is reserved once for many at once', async () => {
    const { send } = await startHotel({ workers: 0 })
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => send()))).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, ...Array(19).fill(409)])
    expect(await rooms()).toHaveLength(1)
  })

  it('is lost together with the operation and the key when keeping them fails', async () => {
    let isBroken = true
    const { send } = await startHotel({
      workers: 0,
      async onAccept(sql) {
        if (isBroken) await sql.query('SELECT 1 / 0')
      },
    })
    const headers = { 'idempotency-key': 'k' }
    expectAnswer(await send(headers), 500, {
      type: 'error',
      code: 'INTERNAL_ERROR',
      message: 'The operation failed.',
    })
    expect(await rooms()).toEqual([])
    expect(await store.query('SELECT * FROM agentic_operations')).toEqual([])
    isBroken = false
    const operationId = operationOf(await send(headers))
    const replayed = await send(headers)
    expect(operationOf(replayed)).toBe(operationId)
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  })

  it('leaves a good approval as it is when it cannot be had', async () => {
    const { url, send, post } = await startHotel({ workers: 0, needsApproval: true })
    const gate = await send()
    expect(gate.status).toBe(412)
    const location = gate.headers.get('location') ?? ''
    await post(`${location}/approve`, { 'x-actor-subject': 'bob', 'x-actor-roles': 'boss' })
    const approved = { 'x-approval-token': JSON.parse(gate.text).approvalToken as string }
    await store.query(`INSERT INTO rooms VALUES ('acme', '1', 'somebody', 'occupied')`)
    expectAnswer(await send(approved), 409, { ...taken })
    await store.query('DELETE FROM rooms')
    operationOf(await send(approved))
    expect(JSON.parse((await ask(url + location)).text).state).toBe('approved')
  })
})

describe('what was reserved is given back', () => {
  it.each<[string, string, Outcome]>([
    ['failed', 'a failure', conflict({ code: 'C', message: 'm' })],
    ['failed', 'an error', error({ code: 'C', message: 'm' })],
    [
      'input_required',
      'a question',
      clarificationRequired({
        message: 'm',
        requiredInputs: [{ name: 'a', location: 'body', type: 'string', required: true, question: 'a?' }],
      }),
    ],
  ])('as %s after %s', async (status, _title, outcome) => {
    const { url, send } = await startHotel({ run: () => outcome })
    const operationId = operationOf(await send())
    expect(await endOf(url, operationId)).toMatchObject({ status, outcome: outcome.type })
    expect(await rooms()).toEqual([])
    expect(await released()).toEqual([{ operation_id: operationId, status }])
  })

  it('when no attempt is left', async () => {
    const attempts: (string | undefined)[] = []
    const { url, send } = await startHotel({
      run({ operationId }) {
        attempts.push(operationId)
        throw new Error('broken')
      },
    })
    const operationId = operationOf(await send())
    expect(await endOf(url, operationId)).toMatchObject({
      status: 'failed',
      result: { code: 'OPERATION_FAILED' },
    })
    expect(attempts).toEqual([operationId, operationId])
    expect(await released()).toEqual([{ operation_id: operationId, status: 'failed' }])
  })

  it('with the operation that is cancelled, whether or not it has begun', async () => {
    for (const workers of [0, 4]) {
      const run = ({ signal }: StayContext) =>
        new Promise<Outcome>((_resolve, reject) => signal.addEventListener('abort', reject))
      const { send, post, service } = await startHotel({ workers, run })
      const operationId = operationOf(await send())
      expect((await post(`/operations/${operationId}/cancel`)).status).toBe(200)
      expect(await rooms()).toEqual([])
      expect((await released()).at(-1)).toEqual({ operation_id: operationId, status: 'cancelled' })
      await service.close()
    }
  })

  it('once, also when an operation that waited for input is cancelled', async () => {
    const { url, send, post } = await startHotel({
      run: () =>
        clarificationRequired({
          message: 'm',
          requiredInputs: [{ name: 'a', location: 'body', type: 'string', required: true, question: 'a?' }],
        }),
    })
    const operationId = operationOf(await send())
    await endOf(url, operationId)
    expect((await post(`/operations/${operationId}/cancel`)).status).toBe(200)
    expect(await released()).toEqual([{ operation_id: operationId, status: 'input_required' }])
  })

  it('or nothing is cancelled', async () => {
    const { url, send, post } = await startHotel({
      workers: 0,
      onRelease: async (sql) => void (await sql.query('SELECT 1 / 0')),
    })
    const operationId = operationOf(await send())
    expect((await post(`/operations/${operationId}/cancel`)).status).toBe(500)
    expect(JSON.parse((await ask(`${url}/operations/${operationId}/status`)).text).status).toBe('working')
    expect(await rooms()).toHaveLength(1)
  })
})

describe('a run that cancels an operation', () => {
  it('does so in its own transaction, which the cancelled run hears', async () => {
    const begun = Promise.withResolvers<void>()
    const heard = Promise.withResolvers<void>()
    const { url, send, post } = await startHotel({
      run: ({ signal }) =>
        new Promise<Outcome>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            heard.resolve()
            reject(signal.reason)
          })
          begun.resolve()
        }),
    })
    const operationId = operationOf(await send())
    await begun.promise
    expectAnswer(await post(`/operations-of-rooms/${operationId}/leave`), 200, { result: 'cancelled' })
    expect(await endOf(url, operationId)).toMatchObject({
      status: 'cancelled',
      outcome: 'error',
      result: { code: 'OPERATION_CANCELLED' },
    })
    expect(await rooms()).toEqual([])
    await heard.promise
    const again = await post(`/operations-of-rooms/${operationId}/leave`)
    expectAnswer(again, 409, { type: 'conflict', code: 'final', message: 'm' })
  })

  it('reaches no operation of another tenant', async () => {
    const { send, post } = await startHotel({ workers: 0 })
    const operationId = operationOf(await send())
    const answer = await post(`/operations-of-rooms/${operationId}/leave`, { 'x-tenant-id': 'globex' })
    expectAnswer(answer, 409, { type: 'conflict', code: 'unknown', message: 'm' })
    expect(await rooms()).toHaveLength(1)
  })
})
