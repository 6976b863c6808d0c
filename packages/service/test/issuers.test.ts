import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { created, defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const store = sharedStore('payments (amount int NOT NULL)')

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/payments',
  input: z.object({ amount: z.int() }),
  idempotent: true,
  async: true,
  approval: {
    role: 'finance',
    when: ({ input }) => input.amount > 100 && { message: 'Much.', approver: { name: 'Finance' } },
  },
  run: ({ input, subject, issuer, approval, commit }) =>
    commit(async (sql) => {
      await sql.query('INSERT INTO payments (amount) VALUES ($1)', [input.amount])
      return created({ by: [subject, issuer], approvedBy: [approval?.decidedBy, approval?.decidedByIssuer] })
    }),
})

const one = { 'x-actor-subject': 'alice', 'x-actor-issuer': 'https://one.example' }
const two = { 'x-actor-subject': 'alice', 'x-actor-issuer': 'https://two.example' }
const none = { 'x-actor-subject': 'alice' }

async function startBank() {
  const started = await startService({ operations: [pay], store })
  const send = (amount: number, headers: Record<string, string>) =>
    ask(`${started.url}/payments`, { json: { amount }, headers })
  const decide = (location: string, headers: Record<string, string>) =>
    ask(`${started.url}${location}/approve`, {
      method: 'POST',
      headers: { 'x-actor-roles': 'finance', ...headers },
    })
  const paid = async () => (await store.query('SELECT amount FROM payments')).length
  return { ...started, send, decide, paid }
}

/** The token and the address of a new approval. */
async function gate(answer: Awaited<ReturnType<typeof ask>>) {
  expect(answer.status).toBe(412)
  const { approvalToken } = JSON.parse(answer.text) as { approvalToken: string }
  return { token: approvalToken, location: answer.headers.get('location') ?? '' }
}

const invalid = {
  type: 'forbidden',
  code: 'APPROVAL_INVALID',
  message: 'The approval does not allow this request: it was used, rejected, has expired or is for another.',
}

describe('two issuers that both know an alice', () => {
  it('are two callers of an idempotency key: only the first gets the stored outcome', async () => {
    const { send, paid } = await startBank()
    const key = { 'idempotency-key': 'k-1' }
    const answer = { by: ['alice', 'https://one.example'], approvedBy: [null, null] }
    expectAnswer(await send(5, { ...one, ...key }), 201, answer)
    const again = await send(5, { ...one, ...key })
    expectAnswer(again, 201, answer)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const used = [{ field: 'Idempotency-Key', message: 'The key was used for another request.' }]
    expectInvalid(await send(5, { ...two, ...key }), used)
    expectInvalid(await send(5, { ...none, ...key }), used)
    expect(await paid()).toBe(1)
  })

  it('are two requesters: each has its own approval, and no token works for the other', async () => {
    const { send, decide, paid } = await startBank()
    const first = await gate(await send(500, one))
    const second = await gate(await send(500, two))
    expect(second.location).not.toBe(first.location)
    const bob = { 'x-actor-subject': 'bob', 'x-actor-issuer': 'https://one.example' }
    expect((await decide(first.location, bob)).status).toBe(200)
    const token = { 'x-approval-token': first.token }
    expectAnswer(await send(500, { ...two, ...token }), 403, invalid)
    expectAnswer(await send(500, { ...none, ...token }), 403, invalid)
    expectAnswer(await send(500, { ...one, ...token }), 201, {
      by: ['alice', 'https://one.example'],
      approvedBy: ['bob', 'https://one.example'],
    })
    expect(await paid()).toBe(1)
  })

  it('are two people for an approval: one decides what the other asked for, never her own', async () => {
    const { url, send, decide } = await startBank()
    const { location } = await gate(await send(500, one))
    for (const own of [one, none]) {
      expectAnswer(await decide(location, own), 403, {
        type: 'forbidden',
        code: 'APPROVAL_OWN_REQUEST',
        message: 'Somebody else than the requester has to decide this.',
      })
    }
    expect((await decide(location, two)).status).toBe(200)
    const view = JSON.parse((await ask(url + location, { headers: one })).text)
    expect(view).toMatchObject({
      state: 'approved',
      requester: 'alice',
      requesterIssuer: 'https://one.example',
      decidedBy: 'alice',
      decidedByIssuer: 'https://two.example',
    })
  })
})

describe('a caller without an issuer', () => {
  it('is known by the subject, and so is what it left when a gateway begins to name the issuer', async () => {
    const { send, decide, paid } = await startBank()
    const key = { 'idempotency-key': 'k-1' }
    expect((await send(5, { ...none, ...key })).status).toBe(201)
    expect((await send(5, { ...one, ...key })).headers.get('idempotency-replayed')).toBe('true')
    const { token, location } = await gate(await send(500, none))
    expect((await decide(location, one)).status).toBe(403)
    expect((await decide(location, { 'x-actor-subject': 'bob' })).status).toBe(200)
    expect((await send(500, { ...one, 'x-approval-token': token })).status).toBe(201)
    expect(await paid()).toBe(2)
  })
})

describe('records', () => {
  it('name issuer and subject, whatever actor is claimed and whatever an operation sets', async () => {
    const hide = defineOperation({
      id: 'hide',
      method: 'POST',
      path: '/hidden',
      run: ({ audit }) => {
        const attributes = { token_sub: 'bob', issuer: 'https://none.example' }
        audit.set({ attributes })
        audit.emit({ event_type: 'hidden', outcome: 'success', attributes })
        return success({})
      },
    })
    const { url, audit } = await startService({ operations: [hide, pay], store })
    const headers = { ...one, 'x-actor-principal': 'somebody else' }
    await ask(`${url}/hidden`, { method: 'POST', headers })
    await ask(`${url}/payments`, { json: { amount: 5 }, headers: { ...headers, prefer: 'respond-async' } })
    await expect.poll(() => audit.length).toBe(4)
    expect(audit.map(({ event_type }) => event_type).toSorted()).toEqual([
      'agentic.operation.finished',
      'agentic.response.written',
      'agentic.response.written',
      'hidden',
    ])
    for (const { actor_id, attributes } of audit) {
      expect([actor_id, attributes['token_sub'], attributes['issuer']]).toEqual([
        'somebody else',
        'alice',
        'https://one.example',
      ])
    }
  })

  it('name neither where the request has none', async () => {
    const { url, audit } = await startService({ operations: [pay], store })
    await ask(`${url}/payments`, { json: { amount: 5 }, headers: { 'x-actor-subject': undefined } })
    expect(audit.map(({ attributes }) => attributes)).toEqual([{ status: '201' }])
  })
})

it('an issuer that cannot be part of a key is refused by name', async () => {
  const { send } = await startBank()
  expectInvalid(await send(5, { ...one, 'x-actor-issuer': 'i'.repeat(513) }), [
    { field: 'X-Actor-Issuer', message: 'has to be 1 to 512 bytes' },
  ])
})
