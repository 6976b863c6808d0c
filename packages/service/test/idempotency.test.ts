import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conflict, created, createStore, defineOperation, type Outcome, success } from '../src/index.ts'
import { type Answer, ask, expectAnswer, expectInvalid, expectQuestion } from './harness/ask.ts'

const store = sharedStore(
  'orders (id serial PRIMARY KEY, tenant text NOT NULL, item text NOT NULL)',
  'effects (by_run text NOT NULL)',
)

/** A service that counts its effects in a table, and waits for the test on demand. */
async function startShop(more: { wait?: () => Promise<void>; runs?: string[] } = {}) {
  const order = defineOperation({
    id: 'order',
    method: 'POST',
    path: '/orders',
    input: z.object({ item: z.string(), note: z.string().optional() }),
    idempotent: true,
    async run({ input, tenant, commit }): Promise<Outcome> {
      more.runs?.push(input.item)
      await more.wait?.()
      if (input.item === 'sold out') return conflict({ code: 'SOLD_OUT', message: 'm' })
      if (input.item === 'elsewhere') return success({ done: true })
      return commit(async (sql) => {
        const [row] = await sql.query<{ id: number }>(
          'INSERT INTO orders (tenant, item) VALUES ($1, $2) RETURNING id',
          [tenant, input.item],
        )
        if (input.item === 'undo') return conflict({ code: 'UNDONE', message: 'm' })
        if (input.item === 'throw') throw new Error('thrown')
        return created({ id: row?.id, item: input.item }, { location: `/orders/${row?.id}` })
      })
    },
  })
  const started = await startService({ operations: [order], store })
  const effects = async () =>
    (await store.query<{ item: string }>('SELECT item FROM orders')).map(({ item }) => item)
  const send = (json: object, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    ask(`${started.url}/orders`, { json, headers: { 'idempotency-key': 'k-1', ...headers } })
  return { ...started, effects, send }
}

const inProgress = {
  type: 'conflict',
  code: 'IDEMPOTENCY_IN_PROGRESS',
  message: 'A request with this key is still running.',
}

describe('the same request with the same key', () => {
  it('has one effect, and the second answer is the first with the ids of the second', async () => {
    const { send, effects } = await startShop()
    const first = await send({ item: 'pen' })
    expectAnswer(first, 201, { id: 1, item: 'pen' })
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const again = await send({ item: 'pen' }, { 'x-request-id': 'req-2', 'x-correlation-id': 'corr-2' })
    expect(again.status).toBe(201)
    expect(JSON.parse(again.text)).toEqual({
      id: 1,
      item: 'pen',
      trace: { correlationId: 'corr-2', requestId: 'req-2' },
    })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.headers.get('location')).toBe('/orders/1')
    expect(again.headers.get('content-type')).toBe('application/json')
    expect(again.headers.get('x-agentic-profile')).toBe('v0.3')
    expect(await effects()).toEqual(['pen'])
  })

  it('is the same whatever the order of its members, its token and its preferences', async () => {
    const { send, effects } = await startShop()
    await send({ item: 'pen', note: 'n' })
    const again = await send({ note: 'n', item: 'pen' }, { authorization: 'Bearer other', prefer: 'wait=5' })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await effects()).toEqual(['pen'])
  })

  it('is replayed when it had its effect elsewhere', async () => {
    const runs: string[] = []
    const { send } = await startShop({ runs })
    await send({ item: 'elsewhere' })
    const again = await send({ item: 'elsewhere' })
    expectAnswer(again, 200, { done: true })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(runs).toEqual(['elsewhere'])
  })

  it('has one effect when it comes 50 times at once', async () => {
    const { send, effects } = await startShop()
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ item: 'pen' })))
    expect(await effects()).toEqual(['pen'])
    const done = answers.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThanOrEqual(1)
    for (const answer of done) expectAnswer(answer, 201, { id: 1, item: 'pen' })
    for (const answer of answers.filter(({ status }) => status !== 201)) expectAnswer(answer, 409, inProgress)
    expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1)
  })
})

describe('another request with the same key', () => {
  it.each([
    ['another body', { item: 'pencil' }],
    ['a member more', { item: 'pen', note: 'n' }],
    ['a member more that the schema does not know', { item: 'pen', extra: 1 }],
  ])('with %s is refused by the name of the header', async (_title, json) => {
    const { send, effects } = await startShop()
    await send({ item: 'pen' })
    expectInvalid(await send(json), [
      { field: 'Idempotency-Key', message: 'The key was used for another request.' },
    ])
    expect(await effects()).toEqual(['pen'])
  })

  it('of another tenant has nothing to do with it', async () => {
    const { send, effects } = await startShop()
    await send({ item: 'pen' })
    const other = await send({ item: 'pencil' }, { 'x-tenant-id': 'globex' })
    expectAnswer(other, 201, { id: 2, item: 'pencil' })
    expect(await effects()).toEqual(['pen', 'pencil'])
  })
})

it('a request whose key is still running is told so, and has the outcome afterwards', async () => {
  const running = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const wait = () => {
    ready.resolve()
    return running.promise
  }
  const { send, effects } = await startShop({ wait })
  const first = send({ item: 'pen' })
  await ready.promise
  expectAnswer(await send({ item: 'pen' }), 409, inProgress)
  running.resolve()
  expectAnswer(await first, 201, { id: 1, item: 'pen' })
  expect((await send({ item: 'pen' })).headers.get('idempotency-replayed')).toBe('true')
  expect(await effects()).toEqual(['pen'])
})

describe('an outcome without an effect leaves the key free', () => {
  it('after a question the answered request succeeds under the same key', async () => {
    const { send, effects } = await startShop()
    expectQuestion(await send({}), [
      { name: 'item', location: 'body', type: 'string', required: true, question: 'What is the item?' },
    ] as never)
    expectAnswer(await send({ item: 'pen' }), 201, { id: 1, item: 'pen' })
    expect(await effects()).toEqual(['pen'])
  })

  it.each([
    ['a conflict', 'sold out', 409],
    ['a conflict inside the transaction', 'undo', 409],
    ['a throw inside the transaction', 'throw', 500],
  ])('after %s nothing is kept and another request may use the key', async (_title, item, status) => {
    const { send, effects } = await startShop()
    expect((await send({ item })).status).toBe(status)
    expect((await send({ item })).status).toBe(status)
    expect(await effects()).toEqual([])
    expect((await send({ item: 'pen' })).status).toBe(201)
    expect(await effects()).toEqual(['pen'])
  })
})

it('without a key every request has its effect', async () => {
  const { send, effects } = await startShop()
  await send({ item: 'pen' }, { 'idempotency-key': undefined })
  await send({ item: 'pen' }, { 'idempotency-key': undefined })
  expect(await effects()).toEqual(['pen', 'pen'])
})

it('an operation that does not declare it runs again for the same key', async () => {
  let runs = 0
  const operation = defineOperation({
    id: 'count',
    method: 'POST',
    path: '/count',
    run: () => success({ runs: ++runs }),
  })
  const { url } = await startService({ operations: [operation] })
  const headers = { 'idempotency-key': 'k' }
  expectAnswer(await ask(`${url}/count`, { method: 'POST', headers }), 200, { runs: 1 })
  expectAnswer(await ask(`${url}/count`, { method: 'POST', headers }), 200, { runs: 2 })
})

it('a request that outlives its lease and was overtaken has no effect and gets the outcome of the other', async () => {
  const running = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  let runs = 0
  const operation = defineOperation({
    id: 'slow',
    method: 'POST',
    path: '/slow',
    idempotent: true,
    async run({ commit }) {
      const run = `run ${++runs}`
      if (runs === 1) {
        ready.resolve()
        await running.promise
      }
      return commit(async (sql) => {
        await sql.query('INSERT INTO effects VALUES ($1)', [run])
        return success({ run })
      })
    },
  })
  let now = Date.now()
  const { url } = await startService({
    operations: [operation],
    store,
    runtime: { now: () => new Date(now) },
  })
  const send = () => ask(`${url}/slow`, { method: 'POST', headers: { 'idempotency-key': 'k' } })
  const first = send()
  await ready.promise
  now += 31_000
  expectAnswer(await send(), 200, { run: 'run 2' })
  running.resolve()
  const late = await first
  expectAnswer(late, 200, { run: 'run 2' })
  expect(late.headers.get('idempotency-replayed')).toBe('true')
  expect(await store.query('SELECT by_run FROM effects')).toEqual([{ by_run: 'run 2' }])
})

describe('commit', () => {
  it('is for one effect per run: a second one is a fault of the run, and the first is answered', async () => {
    const operation = defineOperation({
      id: 'twice',
      method: 'POST',
      path: '/twice',
      async run({ commit }) {
        await commit(async () => success({ n: 1 }))
        return commit(async () => success({ n: 2 }))
      },
    })
    const { url, log } = await startService({ operations: [operation], store })
    expect((await ask(`${url}/twice`, { method: 'POST' })).status).toBe(200)
    expect(log[0]?.fields['cause']).toEqual(new TypeError('commit can be called once in a run'))
  })

  it('decides what is answered: the caller hears what was kept', async () => {
    const operation = defineOperation({
      id: 'other',
      method: 'POST',
      path: '/other',
      async run({ commit }) {
        await commit(async () => created({ kept: true }))
        return conflict({ code: 'X', message: 'm' })
      },
    })
    const { url, log } = await startService({ operations: [operation], store })
    expectAnswer(await ask(`${url}/other`, { method: 'POST' }), 201, { kept: true })
    expect(log.map(({ message }) => message)).toEqual(['run returned another outcome than it had committed'])
  })

  it('keeps nothing of an outcome that cannot be written', async () => {
    const operation = defineOperation({
      id: 'big',
      method: 'POST',
      path: '/big',
      run: ({ commit }) =>
        commit(async (sql) => {
          await sql.query("INSERT INTO effects VALUES ('big')")
          return created({ big: 1n })
        }),
    })
    const { url } = await startService({ operations: [operation], store })
    expect((await ask(`${url}/big`, { method: 'POST' })).status).toBe(500)
    expect(await store.query('SELECT * FROM effects')).toEqual([])
  })
})

it('a store that is not available is a failed dependency', async () => {
  const closed = createStore({ memory: true })
  await closed.close()
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    idempotent: true,
    run: () => success({}),
  })
  const { url } = await startService({ operations: [operation], store: closed })
  expectAnswer(await ask(`${url}/op`, { method: 'POST', headers: { 'idempotency-key': 'k' } }), 424, {
    type: 'failed_dependency',
    code: 'STORE_UNAVAILABLE',
    message: 'The store of the service does not answer at the moment.',
  })
})
