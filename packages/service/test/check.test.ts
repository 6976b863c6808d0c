import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type CheckContext,
  conflict,
  created,
  defineOperation,
  type Objection,
  success,
} from '../src/index.ts'
import { ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const store = sharedStore()

const busy = conflict({ code: 'SHOP_BUSY', message: 'The shop is busy.', conflictingResourceId: 'r-1' })

type SaleContext = CheckContext<{ shopId: string; price: number }, { readonly shopId: string }>

/** A shop with a `check` of its sales; `seen` records checks and runs. */
async function startShop(check: (context: SaleContext) => Objection, needsApproval = false) {
  const seen: string[] = []
  const sell = defineOperation({
    id: 'sell',
    method: 'POST',
    path: '/shops/{shopId}/sales',
    input: z.object({ shopId: z.string(), price: z.coerce.number().min(1) }),
    idempotent: true,
    async: true,
    approval: {
      role: 'boss',
      when: () => needsApproval && { message: 'Sell?', approver: { name: 'Boss' } },
    },
    check(context) {
      seen.push('check')
      return check(context)
    },
    run({ input, commit }) {
      seen.push('run')
      return commit(async () => created({ price: input.price }))
    },
  })
  const { url, log, audit } = await startService({ operations: [sell], store })
  const send = (json: object = { price: '2' }, headers: Record<string, string> = {}) =>
    ask(`${url}/shops/s/sales`, { json, headers })
  return { url, log, audit, seen, send }
}

const keptRows = async () =>
  (
    await store.query<{ count: number }>(
      `SELECT (SELECT count(*) FROM agentic_operations) + (SELECT count(*) FROM agentic_approvals)
         + (SELECT count(*) FROM agentic_idempotency) AS count`,
    )
  )[0]?.count

describe('what a check objects to', () => {
  it.each([
    ['a caller that waits', false, {}],
    ['a caller that does not', false, { prefer: 'respond-async' }],
    ['an approval that would be asked for', true, {}],
    ['an approval that would be asked for in the background', true, { prefer: 'respond-async' }],
  ])('is the answer, for %s, and nothing is kept', async (_title, needsApproval, headers) => {
    const { send, seen, audit } = await startShop(() => busy, needsApproval)
    const answer = await send({ price: 2 }, { 'idempotency-key': 'k', ...headers })
    expectAnswer(answer, 409, { ...busy })
    expect(answer.headers.has('preference-applied')).toBe(false)
    expect(answer.headers.has('location')).toBe(false)
    expect(seen).toEqual(['check'])
    expect(await keptRows()).toBe(0)
    expect(audit).toEqual([expect.objectContaining({ operation: 'sell', outcome: 'conflict' })])
  })

  it('leaves the key free for the request that comes when there is no objection any more', async () => {
    let isBusy = true
    const { send } = await startShop(async () => (isBusy ? busy : undefined))
    expectAnswer(await send({ price: 2 }, { 'idempotency-key': 'k' }), 409, { ...busy })
    isBusy = false
    expectAnswer(await send({ price: 2 }, { 'idempotency-key': 'k' }), 201, { price: 2 })
  })
})

describe('a check', () => {
  it('gets inputs as their schema gives them, who asks, and whether the caller waits', async () => {
    const contexts: object[] = []
    const { send } = await startShop(({ input, params, tenant, subject, prefersAsync }) => {
      contexts.push({ input, params, tenant, subject, prefersAsync })
      return undefined
    })
    expect((await send()).status).toBe(201)
    expect((await send({ price: '2' }, { prefer: 'respond-async' })).status).toBe(202)
    const context = {
      input: { shopId: 's', price: 2 },
      params: { shopId: 's' },
      tenant: 'acme',
      subject: 'alice',
    }
    expect(contexts).toEqual([
      { ...context, prefersAsync: false },
      { ...context, prefersAsync: true },
    ])
  })

  it('is not asked where the inputs are wrong', async () => {
    const { send, seen } = await startShop(() => busy)
    expectInvalid(await send({ price: 0 }), [
      { field: 'price', message: 'Too small: expected number to be >=1' },
    ])
    expect(seen).toEqual([])
  })

  it('is not asked again for an answer that is replayed', async () => {
    const { send, seen } = await startShop(() => (seen.length > 1 ? busy : undefined))
    expectAnswer(await send({ price: 2 }, { 'idempotency-key': 'k' }), 201, { price: 2 })
    const replayed = await send({ price: 2 }, { 'idempotency-key': 'k' })
    expectAnswer(replayed, 201, { price: 2 })
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    expect(seen).toEqual(['check', 'run'])
  })

  it('is not asked again when the work in the background begins', async () => {
    const { url, send, seen } = await startShop(() => (seen.length > 1 ? busy : undefined))
    const { statusUrl } = JSON.parse((await send({ price: 2 }, { prefer: 'respond-async' })).text)
    await expect.poll(async () => JSON.parse((await ask(url + statusUrl)).text).status).toBe('completed')
    expect(seen).toEqual(['check', 'run'])
  })

  it('that throws is a fault, with the cause in the log alone, and leaves the key free', async () => {
    let isBroken = true
    const { send, log, seen } = await startShop(() => {
      if (isBroken) throw new Error('secret')
      return undefined
    })
    expectAnswer(await send({ price: 2 }, { 'idempotency-key': 'k' }), 500, {
      type: 'error',
      code: 'INTERNAL_ERROR',
      message: 'The operation failed.',
    })
    expect(log.map(({ fields }) => (fields['cause'] as Error).message)).toEqual(['secret'])
    expect(seen).toEqual(['check'])
    isBroken = false
    expect((await send({ price: 2 }, { 'idempotency-key': 'k' })).status).toBe(201)
  })

  it('works where nothing is kept at all', async () => {
    const read = defineOperation({
      id: 'read',
      method: 'GET',
      path: '/things/{id}',
      check: ({ params }) => (params.id === 'busy' ? busy : undefined),
      run: () => success({ done: true }),
    })
    const { url } = await startService({ operations: [read] })
    expectAnswer(await ask(`${url}/things/busy`), 409, { ...busy })
    expectAnswer(await ask(`${url}/things/free`), 200, { done: true })
  })
})
