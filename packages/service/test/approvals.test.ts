import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conflict, created, defineOperation, type Outcome, success } from '../src/index.ts'
import { type Answer, ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const store = sharedStore('payments (id serial PRIMARY KEY, amount int NOT NULL)')

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/accounts/{accountId}/payments',
  input: z.object({
    accountId: z.string(),
    amount: z.int(),
    note: z.string().optional(),
    urgent: z.boolean().optional(),
  }),
  locations: { urgent: 'query' },
  idempotent: true,
  approval: {
    role: 'finance',
    when: ({ input }) =>
      input.amount > 100 && {
        message: `Payment of ${input.amount}.`,
        approver: { name: 'Finance' },
        ...(input.amount > 1000 && { role: 'board' }),
      },
  },
  async run({ input, commit, approval }): Promise<Outcome> {
    if (input.note === 'no effect') return conflict({ code: 'NO_EFFECT', message: 'm' })
    if (input.note === 'elsewhere') return success({ approvedBy: approval?.decidedBy ?? null })
    return commit(async (sql) => {
      await sql.query('INSERT INTO payments (amount) VALUES ($1)', [input.amount])
      if (input.note === 'undo') return conflict({ code: 'UNDONE', message: 'm' })
      return created({ amount: input.amount, approvedBy: approval?.decidedBy ?? null })
    })
  },
})

async function startBank(more: { now?: () => Date } = {}) {
  const started = await startService({ operations: [pay], store, runtime: more })
  const { url } = started
  const paid = async () =>
    (await store.query<{ amount: number }>('SELECT amount FROM payments')).map((row) => row.amount)
  const send = (
    json: object,
    headers: Record<string, string | undefined> = {},
    path = '/accounts/a/payments',
  ) => ask(url + path, { json, headers })
  const decide = (location: string, verb: string, headers: Record<string, string | undefined> = {}) =>
    ask(`${url}${location}/${verb}`, {
      method: 'POST',
      headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'finance', ...headers },
    })
  return { ...started, paid, send, decide }
}

/** Checks a 412; returns its token and its address. */
function expectGate(answer: Answer, amount: number): { token: string; location: string } {
  const token = JSON.parse(answer.text).approvalToken as string
  expectAnswer(answer, 412, {
    type: 'approval_required',
    code: 'APPROVAL_REQUIRED',
    message: `Payment of ${amount}.`,
    approvalToken: token,
    approver: { name: 'Finance' },
  })
  expect(token.length).toBeGreaterThanOrEqual(32)
  const location = answer.headers.get('location') ?? ''
  expect(location).toMatch(/^\/approvals\/[0-9a-f-]{36}$/)
  return { token, location }
}

const refused = {
  type: 'forbidden',
  code: 'APPROVAL_INVALID',
  message: 'The approval does not allow this request: it was used, rejected, has expired or is for another.',
}

const inUse = {
  type: 'conflict',
  code: 'APPROVAL_IN_USE',
  message: 'Another request is using the approval at the moment; it can be sent again when that has ended.',
}

describe('a request that needs an approval', () => {
  it('passes after somebody else has approved, once, and sees who', async () => {
    const { send, decide, paid } = await startBank()
    const { token, location } = expectGate(await send({ amount: 500 }), 500)
    const withToken = { 'x-approval-token': token }
    const waiting = await send({ amount: 500 }, withToken)
    expect(expectGate(waiting, 500)).toEqual({ token, location })
    expect(await paid()).toEqual([])
    expect((await decide(location, 'approve')).status).toBe(200)
    expectAnswer(await send({ amount: 500 }, withToken), 201, { amount: 500, approvedBy: 'bob' })
    expectAnswer(await send({ amount: 500 }, withToken), 403, refused)
    expect(await paid()).toEqual([500])
  })

  it('is not needed below the limit, whatever token is sent', async () => {
    const { send, paid } = await startBank()
    expectAnswer(await send({ amount: 5 }), 201, { amount: 5, approvedBy: null })
    expectAnswer(await send({ amount: 5 }, { 'x-approval-token': 'of an agent behind' }), 201, {
      amount: 5,
      approvedBy: null,
    })
    expect(await paid()).toEqual([5, 5])
  })

  it('is asked for before anything is done, and once for the same request', async () => {
    const { send } = await startBank()
    const first = expectGate(await send({ amount: 500 }), 500)
    const second = expectGate(await send({ amount: 500 }), 500)
    expect(second.location).toBe(first.location)
    const other = expectGate(await send({ amount: 501 }), 501)
    expect(other.location).not.toBe(first.location)
  })

  it('without a subject is refused, because nobody else could be told from its sender', async () => {
    const { send } = await startBank()
    expectAnswer(await send({ amount: 500 }, { 'x-actor-subject': undefined }), 403, {
      type: 'forbidden',
      code: 'SUBJECT_REQUIRED',
      message: 'The request does not say who sends it.',
    })
  })

  it('that ran without a transaction uses the approval up as well', async () => {
    const { send, decide } = await startBank()
    const json = { amount: 500, note: 'elsewhere' }
    const { token, location } = expectGate(await send(json), 500)
    await decide(location, 'approve')
    expectAnswer(await send(json, { 'x-approval-token': token }), 200, { approvedBy: 'bob' })
    expectAnswer(await send(json, { 'x-approval-token': token }), 403, refused)
  })

  it.each(['no effect', 'undo'])('whose outcome is no success (%s) keeps its approval', async (note) => {
    const { send, decide, paid } = await startBank()
    const json = { amount: 500, note }
    const { token, location } = expectGate(await send(json), 500)
    await decide(location, 'approve')
    expect((await send(json, { 'x-approval-token': token })).status).toBe(409)
    expect((await send(json, { 'x-approval-token': token })).status).toBe(409)
    expect(await paid()).toEqual([])
    const seen = await ask(`${(await startBank()).url}${location}`)
    expect(JSON.parse(seen.text).state).toBe('approved')
  })
})

describe('an approved token is refused, and not burnt, when', () => {
  it.each<[string, object, Record<string, string>, string]>([
    ['the body is another', { amount: 501 }, {}, '/accounts/a/payments'],
    ['the body has more', { amount: 500, note: 'n' }, {}, '/accounts/a/payments'],
    ['the path is another', { amount: 500 }, {}, '/accounts/b/payments'],
    ['the query is another', { amount: 500 }, {}, '/accounts/a/payments?urgent=true'],
    ['the requester is another', { amount: 500 }, { 'x-actor-subject': 'carol' }, '/accounts/a/payments'],
    ['the tenant is another', { amount: 500 }, { 'x-tenant-id': 'globex' }, '/accounts/a/payments'],
  ])('%s', async (_title, json, headers, path) => {
    const { send, decide, paid } = await startBank()
    const { token, location } = expectGate(await send({ amount: 500 }), 500)
    await decide(location, 'approve')
    expectAnswer(await send(json, { ...headers, 'x-approval-token': token }, path), 403, refused)
    expect(await paid()).toEqual([])
    expect((await send({ amount: 500 }, { 'x-approval-token': token })).status).toBe(201)
    expect(await paid()).toEqual([500])
  })

  it('a byte of it is changed', async () => {
    const { send, decide, paid } = await startBank()
    const { token, location } = expectGate(await send({ amount: 500 }), 500)
    await decide(location, 'approve')
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expectAnswer(await send({ amount: 500 }, { 'x-approval-token': changed }), 403, refused)
    }
    expect(await paid()).toEqual([])
    expect((await send({ amount: 500 }, { 'x-approval-token': token })).status).toBe(201)
  })

  it('ids, principal and authorization do not matter', async () => {
    const { send, decide } = await startBank()
    const { token, location } = expectGate(await send({ amount: 500 }), 500)
    await decide(location, 'approve')
    const headers = {
      'x-approval-token': token,
      'x-request-id': 'req-9',
      'x-correlation-id': 'corr-9',
      'x-actor-principal': 'Someone',
      authorization: 'Bearer new',
    }
    expect((await send({ amount: 500 }, headers)).status).toBe(201)
  })
})

it('a rejected and an expired approval are refused', async () => {
  let now = Date.now()
  const { send, decide, paid } = await startBank({ now: () => new Date(now) })
  const rejected = expectGate(await send({ amount: 500 }), 500)
  expect((await decide(rejected.location, 'reject')).status).toBe(200)
  expectAnswer(await send({ amount: 500 }, { 'x-approval-token': rejected.token }), 403, refused)
  const late = expectGate(await send({ amount: 600 }), 600)
  await decide(late.location, 'approve')
  now += 25 * 60 * 60 * 1000
  expectAnswer(await send({ amount: 600 }, { 'x-approval-token': late.token }), 403, refused)
  expect(await paid()).toEqual([])
})

it('100 requests at once with one approval have one effect', async () => {
  const { send, decide, paid } = await startBank()
  const { token, location } = expectGate(await send({ amount: 500 }), 500)
  await decide(location, 'approve')
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => send({ amount: 500 }, { 'x-approval-token': token })),
  )
  expect(await paid()).toEqual([500])
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    if (answer.status === 409) expectAnswer(answer, 409, inUse)
    else expectAnswer(answer, 403, refused)
  }
})

it('requests at once with one approval have one effect, where it is outside the store as well', async () => {
  let effects = 0
  const begun = Promise.withResolvers<void>()
  const others = Promise.withResolvers<void>()
  const operation = defineOperation({
    id: 'fax',
    method: 'POST',
    path: '/fax',
    approval: { role: 'boss', when: () => ({ message: 'Fax?', approver: { name: 'Boss' } }) },
    async run() {
      effects += 1
      begun.resolve()
      await others.promise
      return created({ effects })
    },
  })
  const { url } = await startService({ operations: [operation], store })
  const send = (headers = {}) => ask(`${url}/fax`, { method: 'POST', headers })
  const gate = await send()
  await ask(`${url}${gate.headers.get('location')}/approve`, {
    method: 'POST',
    headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'boss' },
  })
  const withToken = { 'x-approval-token': JSON.parse(gate.text).approvalToken as string }
  const first = send(withToken)
  await begun.promise
  const late = await Promise.all(Array.from({ length: 20 }, () => send(withToken)))
  for (const answer of late) expectAnswer(answer, 409, inUse)
  others.resolve()
  expectAnswer(await first, 201, { effects: 1 })
  expectAnswer(await send(withToken), 403, refused)
  expect(effects).toBe(1)
})

it('an approval of another role than the one that has to decide now is asked for anew', async () => {
  let role = 'clerk'
  const operation = defineOperation({
    id: 'wipe',
    method: 'POST',
    path: '/wipe',
    approval: { role: 'boss', when: () => ({ message: 'Wipe?', approver: { name: 'Boss' }, role }) },
    run: () => success({ wiped: true }),
  })
  const { url } = await startService({ operations: [operation], store })
  const send = (headers = {}) => ask(`${url}/wipe`, { method: 'POST', headers })
  const approve = (gate: Answer) =>
    ask(`${url}${gate.headers.get('location')}/approve`, {
      method: 'POST',
      headers: { 'x-actor-subject': 'bob', 'x-actor-roles': role },
    })
  const tokenOf = ({ text }: Answer) => ({ 'x-approval-token': JSON.parse(text).approvalToken as string })
  const low = await send()
  await approve(low)
  role = 'director'
  const high = await send(tokenOf(low))
  expect(high.status).toBe(412)
  expect(high.headers.get('location')).not.toBe(low.headers.get('location'))
  expect((await send(tokenOf(high))).status).toBe(412)
  await approve(high)
  expectAnswer(await send(tokenOf(high)), 200, { wiped: true })
})

it('an approval that an agent wants for a person is not decided by that person, and not used for another', async () => {
  const operation = defineOperation({
    id: 'look',
    method: 'POST',
    path: '/look',
    input: z.object({ 'x-for': z.string() }),
    locations: { 'x-for': 'header' },
    approval: {
      role: 'boss',
      when: ({ input }) => ({
        message: 'Look?',
        approver: { name: 'Boss' },
        // Not part of the request, so that its digest alone does not distinguish people.
        requestedFor: input['x-for'] === 'dave' ? 'dave' : people.shift(),
      }),
    },
    run: ({ approval }) => success({ approvedBy: approval?.decidedBy ?? null }),
  })
  const people = ['erin', 'frank']
  const { url } = await startService({ operations: [operation], store })
  const send = (person: string, token?: string) =>
    ask(`${url}/look`, { method: 'POST', headers: { 'x-for': person, 'x-approval-token': token } })
  const tokenOf = ({ text }: Answer) => JSON.parse(text).approvalToken as string
  const approveAs = (subject: string, gate: Answer) =>
    ask(`${url}${gate.headers.get('location')}/approve`, {
      method: 'POST',
      headers: { 'x-actor-subject': subject, 'x-actor-roles': 'boss' },
    })
  const gate = await send('dave')
  expectAnswer(await approveAs('dave', gate), 403, {
    type: 'forbidden',
    code: 'APPROVAL_OWN_REQUEST',
    message: 'Somebody else than the requester has to decide this.',
  })
  expect(JSON.parse((await approveAs('bob', gate)).text)).toMatchObject({
    state: 'approved',
    requester: 'alice',
    requestedFor: 'dave',
  })
  expectAnswer(await send('dave', tokenOf(gate)), 200, { approvedBy: 'bob' })
  const ofErin = await send('anybody')
  await approveAs('bob', ofErin)
  expectAnswer(await send('anybody', tokenOf(ofErin)), 403, refused)
})

it('under one key a request is asked, approved, done and replayed', async () => {
  const { send, decide, paid } = await startBank()
  const keyed = (more: Record<string, string> = {}) =>
    send({ amount: 500 }, { 'idempotency-key': 'k', ...more })
  const { token, location } = expectGate(await keyed(), 500)
  await decide(location, 'approve')
  expectAnswer(await keyed({ 'x-approval-token': token }), 201, { amount: 500, approvedBy: 'bob' })
  const again = await keyed({ 'x-approval-token': token })
  expectAnswer(again, 201, { amount: 500, approvedBy: 'bob' })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await keyed()).headers.get('idempotency-replayed')).toBe('true')
  expect(await paid()).toEqual([500])
})

describe('an approval', () => {
  it('can be seen in its tenant, without its token', async () => {
    const { send, url } = await startBank()
    const { token, location } = expectGate(await send({ amount: 500 }), 500)
    const seen = await ask(url + location)
    expectAnswer(seen, 200, {
      approvalId: location.slice('/approvals/'.length),
      state: 'pending',
      operation: 'pay',
      requester: 'alice',
      message: 'Payment of 500.',
      approver: { name: 'Finance' },
      role: 'finance',
      request: {
        method: 'POST',
        path: '/accounts/a/payments',
        inputs: { path: { accountId: 'a' }, body: { amount: 500 } },
      },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      quorum: 1,
      decisions: [],
      via: [],
      correlationId: 'corr-1',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })
    expect(seen.text).not.toContain(token)
  })

  it('shows who decided it', async () => {
    const { send, decide } = await startBank()
    const { location } = expectGate(await send({ amount: 500 }), 500)
    const decided = await decide(location, 'approve')
    expect(JSON.parse(decided.text)).toMatchObject({ state: 'approved', decidedBy: 'bob' })
  })

  const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such resource.' }
  const forbidden = (code: string, message: string) => ({ type: 'forbidden', code, message })

  it.each<[string, number, Record<string, string | undefined>, number, object]>([
    [
      'by its requester',
      500,
      { 'x-actor-subject': 'alice' },
      403,
      forbidden('APPROVAL_OWN_REQUEST', 'Somebody else than the requester has to decide this.'),
    ],
    [
      'by its requester under another principal',
      500,
      { 'x-actor-subject': 'alice', 'x-actor-principal': 'bob' },
      403,
      forbidden('APPROVAL_OWN_REQUEST', 'Somebody else than the requester has to decide this.'),
    ],
    [
      'without the role',
      500,
      { 'x-actor-roles': 'board,financial' },
      403,
      forbidden('INSUFFICIENT_ROLES', 'The caller lacks the role that may decide this.'),
    ],
    [
      'without the role that this very request needs',
      5000,
      {},
      403,
      forbidden('INSUFFICIENT_ROLES', 'The caller lacks the role that may decide this.'),
    ],
    [
      'by nobody',
      500,
      { 'x-actor-subject': undefined },
      403,
      forbidden('SUBJECT_REQUIRED', 'The request does not say who sends it.'),
    ],
    ['from another tenant, where it looks like none', 500, { 'x-tenant-id': 'globex' }, 404, notFound],
  ])('cannot be decided %s', async (_title, amount, headers, status, body) => {
    const { send, decide } = await startBank()
    const { location } = expectGate(await send({ amount }), amount)
    expectAnswer(await decide(location, 'approve', headers), status, body)
    expectAnswer(await decide(location, 'reject', headers), status, body)
  })

  it('is decided once', async () => {
    const { send, decide } = await startBank()
    const { location } = expectGate(await send({ amount: 500 }), 500)
    await decide(location, 'reject')
    expectAnswer(await decide(location, 'approve', { 'x-actor-subject': 'erin' }), 409, {
      type: 'conflict',
      code: 'APPROVAL_NOT_PENDING',
      message: 'The approval is decided or withdrawn already.',
      conflictingResourceId: location.slice('/approvals/'.length),
    })
  })

  it('of another tenant and an unknown one look the same', async () => {
    const { send, url } = await startBank()
    const { location } = expectGate(await send({ amount: 500 }), 500)
    expectAnswer(await ask(url + location, { headers: { 'x-tenant-id': 'globex' } }), 404, notFound)
    expectAnswer(await ask(`${url}/approvals/unknown`), 404, notFound)
  })
})

it('a service whose operations need no approval has no approvals', async () => {
  const operation = defineOperation({ id: 'op', method: 'GET', path: '/op', run: () => success({}) })
  const { url } = await startService({ operations: [operation], store })
  expect((await ask(`${url}/approvals/x`)).status).toBe(404)
  expect((await ask(`${url}/operations/x/status`)).status).toBe(404)
})

it('an approval whose message would hold a NUL is a fault of the request', async () => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    input: z.object({ name: z.string() }),
    approval: { role: 'boss', when: ({ input }) => ({ message: input.name, approver: { name: 'Boss' } }) },
    run: () => success({}),
  })
  const { url } = await startService({ operations: [operation], store })
  const answer = await ask(`${url}/op`, { json: { name: 'a\u0000b' } })
  expectInvalid(answer, [{ field: 'body', message: 'contains the character U+0000' }])
})
