import { eventually } from '@agentic-rest/testing/eventually'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  clarificationRequired,
  conflict,
  created,
  defineOperation,
  type Outcome,
  type RunContext,
  type ServiceOptions,
  success,
} from '../src/index.ts'
import { type Answer, ask, expectAnswer, expectInvalid, expectQuestion, trace } from './harness/ask.ts'

const store = sharedStore('reports (id serial PRIMARY KEY, tenant text NOT NULL, title text NOT NULL)')

type ReportContext = RunContext<
  { shopId: string; title: string; price?: number | undefined },
  { readonly shopId: string }
>

interface Script {
  run?(context: ReportContext): Outcome | Promise<Outcome>
  readonly options?: Partial<ServiceOptions>
}

async function startReports({ run, options }: Script = {}) {
  const report = defineOperation({
    id: 'report',
    method: 'POST',
    path: '/shops/{shopId}/reports',
    input: z.object({ shopId: z.string(), title: z.string().min(2), price: z.number().optional() }),
    idempotent: true,
    async: true,
    run:
      run ??
      (({ input, tenant, commit }) =>
        commit(async (sql) => {
          await sql.query('INSERT INTO reports (tenant, title) VALUES ($1, $2)', [tenant, input.title])
          return created({ title: input.title, price: input.price ?? null })
        })),
  })
  const runtime = { operations: { pollMilliseconds: 20, backoffSeconds: 0.01 } }
  const started = await startService({ operations: [report], store, runtime, ...options })
  const { url } = started
  const send = (json: object, headers: Record<string, string | undefined> = {}) =>
    ask(`${url}/shops/s/reports`, { json, headers: { prefer: 'respond-async', ...headers } })
  const titles = async () =>
    (await store.query<{ title: string }>('SELECT title FROM reports')).map((row) => row.title)
  return { ...started, send, titles }
}

/** Checks a 202; returns its address. */
function expectAccepted(answer: Answer): { operationId: string; statusUrl: string } {
  const { operationId } = JSON.parse(answer.text)
  const statusUrl = `/operations/${operationId}/status`
  expectAnswer(answer, 202, { type: 'operation_accepted', operationId, statusUrl })
  expect(answer.headers.get('preference-applied')).toBe('respond-async')
  return { operationId, statusUrl }
}

/** Polls until a state is reached. */
async function pollFor(url: string, wanted: (body: Record<string, unknown>) => boolean): Promise<Answer> {
  return await eventually(
    () => ask(url),
    ({ status, text }) => status !== 200 || wanted(JSON.parse(text)),
  )
}

const isFinal = ({ status }: Record<string, unknown>) => status !== 'working' && status !== 'input_required'
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a request that prefers not to wait', () => {
  it('is accepted, worked on, and its result can be polled', async () => {
    const { send, url, titles } = await startReports()
    const { operationId, statusUrl } = expectAccepted(await send({ title: 'Q1', price: '1.5' }))
    const done = await pollFor(url + statusUrl, isFinal)
    expectAnswer(done, 200, {
      operationId,
      status: 'completed',
      statusUrl,
      createdAt: moment,
      updatedAt: moment,
      outcome: 'created',
      result: { title: 'Q1', price: 1.5, trace },
    })
    expect(done.headers.get('retry-after')).toBeNull()
    expect(await titles()).toEqual(['Q1'])
  })

  it('says how far it is, and when to ask again', async () => {
    const running = Promise.withResolvers<void>()
    const { send, url } = await startReports({
      async run({ progress }) {
        await progress({ percent: 40 })
        await running.promise
        return success({ done: true })
      },
    })
    const { operationId, statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const working = await pollFor(url + statusUrl, (body) => body['progress'] !== undefined)
    expectAnswer(working, 200, {
      operationId,
      status: 'working',
      statusUrl,
      createdAt: moment,
      updatedAt: moment,
      progress: { percent: 40 },
    })
    expect(working.headers.get('retry-after')).toBe('1')
    running.resolve()
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({ status: 'completed', result: { done: true, trace } })
  })

  it.each(['respond-async', 'wait=10, Respond-Async', 'respond-async; x=1'])(
    'by saying %s',
    async (prefer) => {
      const { send } = await startReports()
      expectAccepted(await send({ title: 'Q1' }, { prefer }))
    },
  )

  it.each([undefined, 'wait=10', 'respond-asynchronously'])('waits when it says %s', async (prefer) => {
    const { send } = await startReports()
    const answer = await send({ title: 'Q1' }, { prefer })
    expectAnswer(answer, 201, { title: 'Q1', price: null })
    expect(answer.headers.get('preference-applied')).toBeNull()
  })

  it('is judged before it is accepted', async () => {
    const { send } = await startReports()
    expectQuestion(await send({}), [
      { name: 'title', location: 'body', type: 'string', required: true, question: 'What is the title?' },
    ] as never)
    expectInvalid(await send({ title: 'a' }), [
      { field: 'title', message: 'Too small: expected string to have >=2 characters' },
    ])
    expect(await store.query('SELECT * FROM agentic_operations')).toEqual([])
  })

  it('waits where the operation cannot do otherwise', async () => {
    const operation = defineOperation({
      id: 'op',
      method: 'GET',
      path: '/op',
      run: () => success({ done: true }),
    })
    const { url } = await startService({ operations: [operation] })
    expectAnswer(await ask(`${url}/op`, { headers: { prefer: 'respond-async' } }), 200, { done: true })
  })

  it('is accepted once per key', async () => {
    const { send, url, titles } = await startReports()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send({ title: 'Q1' }, { 'idempotency-key': 'k' })),
    )
    const accepted = answers.filter(({ status }) => status === 202)
    const ids = new Set(accepted.map((answer) => expectAccepted(answer).operationId))
    expect(ids.size).toBe(1)
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
    const again = await send({ title: 'Q1' }, { 'idempotency-key': 'k' })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const { statusUrl, operationId } = expectAccepted(again)
    expect(ids).toEqual(new Set([operationId]))
    await pollFor(url + statusUrl, isFinal)
    expect(await titles()).toEqual(['Q1'])
  })
})

describe('a run in the background', () => {
  it('has who and what, but no token and no approval of its own', async () => {
    const { send, url } = await startReports({
      run: ({ params, tenant, actor, subject, roles, trace: ids, idempotencyKey, approval }) =>
        success({ params, tenant, actor, subject, roles, ids, idempotencyKey, approval: approval ?? null }),
    })
    const headers = { 'idempotency-key': 'k', 'x-actor-principal': 'Alice A.', 'x-actor-roles': 'r1,r2' }
    const { statusUrl } = expectAccepted(await send({ title: 'Q1' }, headers))
    const polled = await ask(`${url}${statusUrl}`, { headers: { 'x-request-id': 'req-2' } })
    expect(polled.status).toBe(200)
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text).result).toEqual({
      params: { shopId: 's' },
      tenant: 'acme',
      actor: 'Alice A.',
      subject: 'alice',
      roles: ['r1', 'r2'],
      ids: trace,
      idempotencyKey: 'k',
      approval: null,
      trace,
    })
  })

  it('that has no success keeps its outcome and nothing of its effect', async () => {
    const { send, url, titles } = await startReports({
      run: ({ commit, input, tenant }) =>
        commit(async (sql): Promise<Outcome> => {
          await sql.query('INSERT INTO reports (tenant, title) VALUES ($1, $2)', [tenant, input.title])
          return conflict({ code: 'TOO_LATE', message: 'm' })
        }),
    })
    const { statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({
      status: 'failed',
      outcome: 'conflict',
      result: { type: 'conflict', code: 'TOO_LATE', message: 'm', trace },
    })
    expect(await titles()).toEqual([])
  })

  it('that throws is tried again, with the cause in the log', async () => {
    let runs = 0
    const { send, url, log } = await startReports({
      run() {
        runs += 1
        if (runs < 3) throw new Error(`failed ${runs}`)
        return success({ runs })
      },
    })
    const { statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({ status: 'completed', result: { runs: 3 } })
    expect(log.map(({ fields }) => (fields['cause'] as Error).message)).toEqual(['failed 1', 'failed 2'])
  })

  it('that gives what cannot be written has failed', async () => {
    const { send, url } = await startReports({ run: () => success({ big: 1n }) })
    const { statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({
      status: 'failed',
      outcome: 'error',
      result: { type: 'error', code: 'INTERNAL_ERROR', message: 'The operation failed.', trace },
    })
  })

  it('gets any text that JSON can hold, and gives it back', async () => {
    const { send, url } = await startReports({
      async run({ input, progress }) {
        await progress({ at: input.title })
        return success({ title: input.title })
      },
    })
    const title = 'a\u0000b \ud800 \u{1f600} \u2028'
    const { statusUrl } = expectAccepted(await send({ title }, { 'idempotency-key': 'k' }))
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({ status: 'completed', result: { title } })
  })

  it('is recorded when it has ended', async () => {
    const { send, url, audit } = await startReports({
      run({ audit: record }) {
        record.set({ attributes: { pages: '3' } })
        return success({})
      },
    })
    const { statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    await pollFor(url + statusUrl, isFinal)
    expect(audit.filter(({ operation }) => operation === 'report')).toEqual([
      expect.objectContaining({
        event_type: 'agentic.response.written',
        outcome: 'accepted',
        attributes: { status: '202', token_sub: 'alice' },
      }),
      {
        event_type: 'agentic.operation.finished',
        tenant_id: 'acme',
        actor_id: 'alice',
        request_id: 'req-1',
        correlation_id: 'corr-1',
        operation: 'report',
        resource_id: 's',
        outcome: 'success',
        timestamp: moment,
        attributes: { pages: '3', status: '200', token_sub: 'alice' },
      },
    ])
  })

  it('is done by the next service when this one closes', async () => {
    const begun = Promise.withResolvers<void>()
    const first = await startReports({
      async run({ signal }) {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw signal.reason
      },
      options: { runtime: { operations: { closeSeconds: 0.05 } } },
    })
    const { statusUrl } = expectAccepted(await first.send({ title: 'Q1' }))
    await begun.promise
    await first.service.close()
    const second = await startReports()
    const done = await pollFor(second.url + statusUrl, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({ status: 'completed', result: { title: 'Q1' } })
    expect(await second.titles()).toEqual(['Q1'])
  })
})

describe('an operation that is under way', () => {
  it('can be cancelled, which its run hears', async () => {
    const heard = Promise.withResolvers<void>()
    const { send, url, titles } = await startReports({
      async run({ signal, commit, input, tenant }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        heard.resolve()
        return commit(async (sql) => {
          await sql.query('INSERT INTO reports (tenant, title) VALUES ($1, $2)', [tenant, input.title])
          return success({})
        })
      },
    })
    const { operationId, statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const cancelled = await ask(`${url}/operations/${operationId}/cancel`, { method: 'POST' })
    expect(JSON.parse(cancelled.text)).toMatchObject({ operationId, status: 'cancelled', statusUrl })
    await heard.promise
    const seen = await ask(url + statusUrl)
    expect(JSON.parse(seen.text)).toMatchObject({ status: 'cancelled' })
    expect(seen.headers.get('retry-after')).toBeNull()
    expect(await titles()).toEqual([])
  })

  it('cannot be cancelled when it has ended', async () => {
    const { send, url } = await startReports()
    const { operationId, statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    await pollFor(url + statusUrl, isFinal)
    expectAnswer(await ask(`${url}/operations/${operationId}/cancel`, { method: 'POST' }), 409, {
      type: 'conflict',
      code: 'OPERATION_FINAL',
      message: 'The operation has ended and cannot be cancelled.',
      conflictingResourceId: operationId,
    })
  })

  it('looks to another tenant like none', async () => {
    const { send, url } = await startReports()
    const { operationId, statusUrl } = expectAccepted(await send({ title: 'Q1' }))
    const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such resource.' }
    const headers = { 'x-tenant-id': 'globex' }
    expectAnswer(await ask(url + statusUrl, { headers }), 404, notFound)
    expectAnswer(
      await ask(`${url}/operations/${operationId}/cancel`, { method: 'POST', headers }),
      404,
      notFound,
    )
    expectAnswer(await ask(`${url}/operations/unknown/status`), 404, notFound)
  })
})

describe('an approval of work in the background', () => {
  async function startWipes(run: (context: RunContext<undefined>) => Outcome | Promise<Outcome>) {
    const operation = defineOperation({
      id: 'wipe',
      method: 'POST',
      path: '/wipe',
      async: true,
      idempotent: true,
      approval: { role: 'boss', when: () => ({ message: 'Wipe?', approver: { name: 'Boss' } }) },
      run,
    })
    const runtime = { operations: { pollMilliseconds: 20 } }
    const { url } = await startService({ operations: [operation], store, runtime })
    const send = (headers: Record<string, string> = {}) =>
      ask(`${url}/wipe`, { method: 'POST', headers: { prefer: 'respond-async', ...headers } })
    const gate = await send()
    expect(gate.status).toBe(412)
    const location = gate.headers.get('location') ?? ''
    await ask(`${url}${location}/approve`, {
      method: 'POST',
      headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'boss' },
    })
    const state = async () => JSON.parse((await ask(url + location)).text).state as string
    const approved = { 'x-approval-token': JSON.parse(gate.text).approvalToken as string }
    return { url, send, approved, state, approvalId: location.slice('/approvals/'.length) }
  }

  it('is in use until the work is done, is then used up, and the run sees it', async () => {
    const go = Promise.withResolvers<void>()
    const { url, send, approved, state, approvalId } = await startWipes(async ({ approval }) => {
      await go.promise
      return success(approval ?? {})
    })
    const { statusUrl } = expectAccepted(await send(approved))
    const inUse = await send(approved)
    expect([inUse.status, JSON.parse(inUse.text).code]).toEqual([409, 'APPROVAL_IN_USE'])
    expect(await state()).toBe('approved')
    go.resolve()
    const done = await pollFor(url + statusUrl, isFinal)
    expect(JSON.parse(done.text).result).toMatchObject({ approvalId, decidedBy: 'bob' })
    expect(await state()).toBe('used')
    expect((await send(approved)).status).toBe(403)
  })

  it('is used up together with an effect in the store', async () => {
    const { url, send, approved, state } = await startWipes(({ commit }) => commit(async () => success({})))
    const { statusUrl } = expectAccepted(await send(approved))
    await pollFor(url + statusUrl, isFinal)
    expect(await state()).toBe('used')
  })

  it.each<[string, Outcome]>([
    [
      'a question',
      clarificationRequired({
        message: 'm',
        requiredInputs: [{ name: 'a', location: 'body', type: 'string', required: true, question: 'a?' }],
      }),
    ],
    ['a failure', conflict({ code: 'NOT_NOW', message: 'm' })],
  ])('can be used again after work that ended with %s', async (_title, first) => {
    let runs = 0
    const { url, send, approved, state } = await startWipes(() => {
      runs += 1
      return runs === 1 ? first : success({ runs })
    })
    const { statusUrl } = expectAccepted(await send(approved))
    await pollFor(url + statusUrl, ({ status }) => status !== 'working')
    expect(await state()).toBe('approved')
    const again = expectAccepted(await send(approved))
    await pollFor(url + again.statusUrl, isFinal)
    expect([runs, await state()]).toEqual([2, 'used'])
  })

  it('counts as used when work that has begun is cancelled', async () => {
    const begun = Promise.withResolvers<void>()
    const { url, send, approved, state } = await startWipes(({ signal }) => {
      begun.resolve()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
    })
    const { operationId } = expectAccepted(await send(approved))
    await begun.promise
    await ask(`${url}/operations/${operationId}/cancel`, { method: 'POST' })
    expect(await state()).toBe('used')
  })
})

describe('an operation that chooses the background itself', () => {
  async function startChoosing(choice: boolean | undefined) {
    const seen: unknown[] = []
    const operation = defineOperation({
      id: 'report',
      method: 'POST',
      path: '/shops/{shopId}/reports',
      input: z.object({ shopId: z.string(), pages: z.int() }),
      idempotent: true,
      async({ input, params, tenant }) {
        seen.push({ pages: input.pages, shopId: params.shopId, tenant })
        return choice
      },
      check: ({ prefersAsync }) => void seen.push({ prefersAsync }),
      run: ({ input }) => created({ pages: input.pages }, { location: `/shops/s/reports/${input.pages}` }),
    })
    const runtime = { operations: { pollMilliseconds: 20 } }
    const { url } = await startService({ operations: [operation], store, runtime, publicPath: '/agents' })
    const send = (headers: Record<string, string> = {}) =>
      ask(`${url}/shops/s/reports`, { json: { pages: 3 }, headers })
    return { url, send, seen }
  }
  const asked = { prefer: 'respond-async' }

  it.each([
    [true, {}, 202, null],
    [true, asked, 202, 'respond-async'],
    [false, {}, 201, null],
    [false, asked, 201, null],
    [undefined, {}, 201, null],
    [undefined, asked, 202, 'respond-async'],
  ])('by %s, with the headers %j, is answered with %i', async (choice, headers, status, applied) => {
    const { send, seen } = await startChoosing(choice)
    const answer = await send(headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('preference-applied')).toBe(applied)
    expect(seen).toEqual([{ pages: 3, shopId: 's', tenant: 'acme' }, { prefersAsync: status === 202 }])
  })

  it('is not asked again for an answer that is replayed', async () => {
    const { send, seen } = await startChoosing(true)
    const key = { 'idempotency-key': 'k-1' }
    expect((await send(key)).status).toBe(202)
    expect((await send(key)).headers.get('idempotency-replayed')).toBe('true')
    expect(seen).toHaveLength(2)
  })

  it('has the address of what it created in its last status', async () => {
    const { send, url } = await startChoosing(true)
    const { operationId } = JSON.parse((await send()).text)
    const done = await pollFor(`${url}/operations/${operationId}/status`, isFinal)
    expect(JSON.parse(done.text)).toMatchObject({ outcome: 'created', result: { pages: 3, trace } })
    expect(done.headers.get('location')).toBe('/agents/shops/s/reports/3')
  })

  it('that fails to choose is answered with 500', async () => {
    const operation = defineOperation({
      id: 'report',
      method: 'POST',
      path: '/reports',
      async: () => Promise.reject(new Error('no idea')),
      run: () => success({}),
    })
    const { url } = await startService({ operations: [operation], store })
    const answer = await ask(`${url}/reports`, { method: 'POST' })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([500, 'INTERNAL_ERROR'])
  })
})

it('a request with a token for an agent behind is worked on while its caller waits', async () => {
  const operation = defineOperation({
    id: 'relay',
    method: 'POST',
    path: '/relay',
    // The token would be lost with the request, so the choice of the service does not count either.
    async: () => true,
    run: () => success({ done: true }),
  })
  const { url } = await startService({ operations: [operation], store })
  const headers = { prefer: 'respond-async', 'x-approval-token': 'inner' }
  const answer = await ask(`${url}/relay`, { method: 'POST', headers })
  expectAnswer(answer, 200, { done: true })
  expect(answer.headers.has('preference-applied')).toBe(false)
})

describe('a tenant with as many open operations as it may have', () => {
  const startLimited = async (maxOpenPerTenant: number) => {
    const running = Promise.withResolvers<void>()
    const runtime = { operations: { pollMilliseconds: 20, maxOpenPerTenant } }
    const started = await startReports({
      async run() {
        await running.promise
        return success({ done: true })
      },
      options: { runtime },
    })
    return { ...started, end: running.resolve }
  }
  const refused = (limit: number) => ({
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message: `The tenant has ${limit} open background operations, and maxOpenPerTenant allows no more.`,
    retryAfter: 1,
  })

  it('is refused with 429 and the limit, exactly, of 50 requests at once', async () => {
    const { send, end } = await startLimited(5)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ title: 'Q1' })))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5)
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expectAnswer(answer, 429, refused(5))
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.headers.get('preference-applied')).toBeNull()
    }
    expect((await send({ title: 'Q1' }, { 'x-tenant-id': 'globex' })).status).toBe(202)
    end()
  })

  it('gets the first answer of a key again, and a refused key is free', async () => {
    const { send, url, end } = await startLimited(1)
    const first = await send({ title: 'Q1' }, { 'idempotency-key': 'k-1' })
    const { statusUrl } = expectAccepted(first)
    const second = { 'idempotency-key': 'k-2' }
    expectAnswer(await send({ title: 'Q2' }, second), 429, refused(1))
    const again = await send({ title: 'Q1' }, { 'idempotency-key': 'k-1' })
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    end()
    await pollFor(url + statusUrl, isFinal)
    expectAccepted(await send({ title: 'Q2' }, second))
  })

  it('does nothing of a refused request', async () => {
    const { send, end } = await startLimited(1)
    expectAccepted(await send({ title: 'Q1' }))
    expectAnswer(await send({ title: 'Q2' }), 429, refused(1))
    expect(await store.query('SELECT operation_id FROM agentic_operations')).toHaveLength(1)
    end()
  })
})
