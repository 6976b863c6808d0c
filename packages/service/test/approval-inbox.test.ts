import { createHash } from 'node:crypto'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, type ServiceOptions, success } from '../src/index.ts'
import { type Answer, ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const store = sharedStore()

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/accounts/{accountId}/payments',
  input: z.object({
    accountId: z.string(),
    amount: z.int(),
    note: z.string().optional(),
    card: z.object({ number: z.string().meta({ secret: true }), holder: z.string() }).optional(),
    pin: z.string().meta({ secret: true }).optional(),
    dry: z.boolean().optional(),
  }),
  locations: { dry: 'query', pin: 'header' },
  approval: {
    role: 'finance',
    quorum: 2,
    expirySeconds: 60,
    when: ({ input }) => ({
      message: `Payment of ${input.amount}.`,
      approver: { name: 'Finance' },
      ...(input.amount <= 1000 && { quorum: 1 }),
      ...(input.amount === 13 && { requestedFor: 'dave' }),
    }),
  },
  run: () => success({ paid: true }),
})

const confirm = defineOperation({
  id: 'erase',
  method: 'POST',
  path: '/erase',
  approval: { by: 'requester', when: () => ({ message: 'Erase all?', approver: { name: 'You' } }) },
  run: () => success({ erased: true }),
})

type Sent = Readonly<Record<string, string | undefined>>
const bob: Sent = { 'x-actor-subject': 'bob', 'x-actor-roles': 'finance' }
const erin: Sent = { 'x-actor-subject': 'erin', 'x-actor-roles': 'finance' }

async function startInbox(runtime: ServiceOptions['runtime'] = {}) {
  const { url } = await startService({ operations: [pay, confirm], store, runtime })
  const bodyOf = ({ text }: Answer) => JSON.parse(text)
  return {
    url,
    bodyOf,
    async gate(json: object, headers: Sent = {}, query = '') {
      const answer = await ask(`${url}/accounts/a%20b/payments${query}`, { json, headers })
      expect(answer.status).toBe(412)
      return { location: answer.headers.get('location') ?? '', token: bodyOf(answer).approvalToken as string }
    },
    pay: (json: object, headers: Sent) => ask(`${url}/accounts/a%20b/payments`, { json, headers }),
    show: async (location: string, headers: Sent = {}) => bodyOf(await ask(url + location, { headers })),
    post: (path: string, headers: Sent, json?: unknown) =>
      ask(url + path, { method: 'POST', headers, ...(json !== undefined && { json }) }),
    list: (query = '', headers: Sent = bob) => ask(`${url}/approvals${query}`, { headers }),
  }
}

const conflict = (code: string, message: string, location: string) => ({
  type: 'conflict',
  code,
  message,
  conflictingResourceId: location.slice('/approvals/'.length),
})

it('the list shows what is approved, without secrets, in the shape of a single one', async () => {
  const { gate, list, show, bodyOf } = await startInbox()
  const secret = { number: '4111', holder: 'Alice' }
  const { location, token } = await gate({ amount: 2000, card: secret }, { pin: '1234' }, '?dry=true')
  const answer = await list('?state=pending')
  const approval = {
    approvalId: location.slice('/approvals/'.length),
    state: 'pending',
    operation: 'pay',
    message: 'Payment of 2000.',
    approver: { name: 'Finance' },
    role: 'finance',
    requester: 'alice',
    request: {
      method: 'POST',
      path: '/accounts/a%20b/payments',
      inputs: {
        path: { accountId: 'a b' },
        query: { dry: true },
        header: { pin: '***' },
        body: { amount: 2000, card: { number: '***', holder: 'Alice' } },
      },
    },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    quorum: 2,
    decisions: [],
    via: [],
    correlationId: 'corr-1',
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  }
  expectAnswer(answer, 200, { approvals: [approval] })
  const { createdAt, expiresAt } = bodyOf(answer).approvals[0]
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60_000)
  const { trace: _, ...shown } = await show(location, bob)
  expect(shown).toEqual(bodyOf(answer).approvals[0])
  for (const text of ['4111', '1234', token]) expect(answer.text).not.toContain(text)
})

it('a secret is digested: another one needs another approval', async () => {
  const { gate, pay: send, post } = await startInbox()
  const { location, token } = await gate({ amount: 5 }, { pin: '1234' })
  expect((await gate({ amount: 5 }, { pin: '9999' })).location).not.toBe(location)
  await post(`${location}/approve`, bob)
  expect((await send({ amount: 5 }, { pin: '9999', 'x-approval-token': token })).status).toBe(403)
  expect((await send({ amount: 5 }, { pin: '1234', 'x-approval-token': token })).status).toBe(200)
})

it('the shown digest does not tell whether a guessed secret is right', async () => {
  const { gate, show } = await startInbox()
  const { location } = await gate({ amount: 5 }, { pin: '1234' })
  const { digest } = await show(location, bob)
  expect((await show((await gate({ amount: 5 }, { pin: '1234' })).location, bob)).digest).toBe(digest)
  // Everything but the secret is shown, so that a reader can compute the digest of each guess.
  const guess = '["POST","/accounts/a%20b/payments",[],[["pin","1234"]],{"amount":5}]'
  expect(digest).not.toBe(createHash('sha256').update(guess).digest('hex'))
})

it('two deciders approve with comments; markup in a comment is plain text', async () => {
  const { gate, pay: send, post, show, bodyOf } = await startInbox()
  const { location, token } = await gate({ amount: 2000 })
  const { digest } = await show(location, bob)
  const comment = '<script>alert(1)</script> & "quotes" 😀'
  const first = await post(`${location}/approve`, bob, { digest, comment })
  expect(bodyOf(first)).toMatchObject({
    state: 'pending',
    decisions: [{ decidedBy: 'bob', verdict: 'approved', comment, decidedAt: expect.any(String) }],
  })
  expect((await send({ amount: 2000 }, { 'x-approval-token': token })).status).toBe(412)
  const second = await post(`${location}/approve`, erin, { digest })
  expect(bodyOf(second)).toMatchObject({
    state: 'approved',
    decidedBy: 'erin',
    decisions: [{ decidedBy: 'bob' }, { decidedBy: 'erin', verdict: 'approved' }],
  })
  expectAnswer(await send({ amount: 2000 }, { 'x-approval-token': token }), 200, { paid: true })
  expect(await show(location, bob)).toMatchObject({ state: 'used' })
})

it('each bad decision has its own answer, and leaves the approval as it is', async () => {
  const { gate, post, show, list, bodyOf } = await startInbox()
  const { location } = await gate({ amount: 13 })
  const { digest } = await show(location, bob)
  const forbidden = (code: string, message: string) => ({ type: 'forbidden', code, message })
  const own = forbidden('APPROVAL_OWN_REQUEST', 'Somebody else than the requester has to decide this.')
  const roles = forbidden('INSUFFICIENT_ROLES', 'The caller lacks the role that may decide this.')
  const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such resource.' }
  const changed = conflict(
    'APPROVAL_CHANGED',
    'The approval is for another request than the one whose digest was sent; look at it again.',
    location,
  )
  for (const verb of ['approve', 'reject']) {
    const decide = (headers: Sent, json?: unknown) => post(`${location}/${verb}`, headers, json)
    expectAnswer(await decide({ ...bob, 'x-actor-subject': 'alice' }, { digest }), 403, own)
    expectAnswer(await decide({ ...bob, 'x-actor-subject': 'dave' }, { digest }), 403, own)
    expectAnswer(await decide({ ...bob, 'x-actor-roles': 'finances' }, { digest }), 403, roles)
    expectAnswer(await decide(bob, { digest: '0'.repeat(64) }), 409, changed)
    expectAnswer(await decide({ ...bob, 'x-tenant-id': 'globex' }, { digest }), 404, notFound)
    const tooLong = { field: 'comment', message: 'has to have at most 2000 characters' }
    expectInvalid(await decide(bob, { comment: 'x'.repeat(1_000_000) }), [tooLong])
    expectInvalid(await decide(bob, { comment: '😀'.repeat(2001) }), [tooLong])
    expectInvalid(await decide(bob, { comment: 'a\0b' }), [
      { field: 'comment', message: 'contains a character that is no text' },
    ])
    expectInvalid(await decide(bob, { comment: 1, digest: null }), [
      { field: 'comment', message: 'has to be a text' },
      { field: 'digest', message: 'has to be a text' },
    ])
    expectInvalid(await decide(bob, { verdict: 'approved' }), [
      { field: 'verdict', message: 'is not one of the inputs: digest, comment' },
    ])
  }
  expect(await show(location, bob)).toMatchObject({ state: 'pending', decisions: [] })
  expect(bodyOf(await post(`${location}/approve`, bob, { comment: '😀'.repeat(2000) })).state).toBe(
    'approved',
  )
  const twice = 'The caller has decided about this approval already.'
  for (const verb of ['approve', 'reject'])
    expectAnswer(
      await post(`${location}/${verb}`, bob),
      409,
      conflict('APPROVAL_DECIDED_ALREADY', twice, location),
    )
  const late = 'The approval is decided or withdrawn already.'
  expectAnswer(await post(`${location}/approve`, erin), 409, conflict('APPROVAL_NOT_PENDING', late, location))
  expect(bodyOf(await list('?state=approved')).approvals).toHaveLength(1)
})

it('a decision after the expiry is refused, and the approval shown as expired', async () => {
  let now = Date.now()
  const { gate, post, list, bodyOf } = await startInbox({ now: () => new Date(now) })
  const { location } = await gate({ amount: 5 })
  now += 60_000
  const expired = conflict('APPROVAL_EXPIRED', 'The approval has expired.', location)
  expectAnswer(await post(`${location}/approve`, bob), 409, expired)
  expectAnswer(await post(`${location}/withdraw`, {}), 409, expired)
  expect(bodyOf(await list('?state=expired')).approvals).toMatchObject([{ state: 'expired', decisions: [] }])
})

it('the requester withdraws; others may not, and strangers see nothing', async () => {
  const { gate, pay: send, post, bodyOf } = await startInbox()
  const { location, token } = await gate({ amount: 5 })
  expectAnswer(await post(`${location}/withdraw`, bob), 403, {
    type: 'forbidden',
    code: 'APPROVAL_NOT_OWN',
    message: 'Only the requester can do this.',
  })
  expect((await post(`${location}/withdraw`, { 'x-actor-subject': 'eve' })).status).toBe(404)
  expectInvalid(await post(`${location}/withdraw`, {}, { comment: 'c' }), [
    { field: 'comment', message: 'is not one of the inputs: none' },
  ])
  expect(bodyOf(await post(`${location}/withdraw`, {}))).toMatchObject({ state: 'withdrawn' })
  expect((await send({ amount: 5 }, { 'x-approval-token': token })).status).toBe(403)
  expect((await post(`${location}/approve`, bob)).status).toBe(409)
})

it('the requester confirms where the rule says so, and nobody else does', async () => {
  const { url, post, show } = await startInbox()
  const gate = await ask(`${url}/erase`, { method: 'POST' })
  const location = gate.headers.get('location') ?? ''
  expect(await show(location)).toMatchObject({ role: '', by: 'requester' })
  expect((await post(`${location}/approve`, bob)).status).toBe(403)
  expect((await post(`${location}/approve`, {})).status).toBe(200)
  const headers = { 'x-approval-token': JSON.parse(gate.text).approvalToken as string }
  expectAnswer(await ask(`${url}/erase`, { method: 'POST', headers }), 200, { erased: true })
})

it('the list has pages, and refuses wrong inputs', async () => {
  const { gate, list, bodyOf } = await startInbox()
  for (const amount of [1, 2, 3]) await gate({ amount })
  const first = bodyOf(await list('?limit=2'))
  expect(first.approvals.map(({ message }: { message: string }) => message)).toEqual([
    'Payment of 3.',
    'Payment of 2.',
  ])
  const second = bodyOf(await list(`?limit=2&cursor=${first.next}`))
  expect([second.approvals.length, second.next]).toEqual([1, undefined])
  expect(bodyOf(await list('', { 'x-actor-subject': 'eve' })).approvals).toEqual([])
  expect(bodyOf(await list('', { ...bob, 'x-tenant-id': 'globex' })).approvals).toEqual([])
  const message = 'has to be a whole number from 1 to 100'
  for (const limit of ['0', '101', '1.5', 'x'])
    expectInvalid(await list(`?limit=${limit}`), [{ field: 'limit', message }])
  for (const cursor of ['x', '1_a%20b', 'a'.repeat(200)])
    expectInvalid(await list(`?cursor=${cursor}`), [
      { field: 'cursor', message: 'is not the next of a page' },
    ])
  const states = 'pending, approved, rejected, used, expired, withdrawn'
  expectInvalid(await list('?state=redeemed'), [{ field: 'state', message: `has to be one of ${states}` }])
})

it('more open approvals than allowed are refused with 429', async () => {
  const { gate, pay: send } = await startInbox({ approvals: { maxOpenPerRequester: 2 } })
  await gate({ amount: 1 })
  await gate({ amount: 2 })
  const refused = await send({ amount: 3 }, {})
  expectAnswer(refused, 429, {
    type: 'error',
    code: 'TOO_MANY_APPROVALS',
    message: 'The requester has 2 open approvals, and maxOpenPerRequester allows no more.',
    retryAfter: 60,
  })
  expect(refused.headers.get('retry-after')).toBe('60')
  await gate({ amount: 2 })
  await gate({ amount: 3 }, { 'x-actor-subject': 'carol' })
})

it('a request that PostgreSQL cannot keep as it is, or that is large, is still asked for', async () => {
  const { gate, show } = await startInbox()
  const odd = await gate({ amount: 1, note: 'a\0b\ud800' })
  expect((await show(odd.location)).request.inputs.body.note).toBe('a\ufffdb\ufffd')
  const large = await gate({ amount: 1, note: 'x'.repeat(100_000) })
  expect((await show(large.location)).request).toEqual({
    method: 'POST',
    path: '/accounts/a%20b/payments',
    inputs: { path: { accountId: 'a b' }, body: { amount: 1, note: '(100002 bytes are not shown)' } },
    truncated: true,
  })
})
