import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer } from './harness/ask.ts'

const store = sharedStore()

const FOR = 'x-for'
const input = z.object({ [FOR]: z.string().optional() })

const report = defineOperation({
  id: 'report',
  method: 'POST',
  path: '/reports',
  input,
  locations: { [FOR]: 'header' },
  async: true,
  requestedFor: ({ subject, issuer, input: given }) =>
    subject === 'agent' ? { subject: given[FOR] ?? '', issuer } : undefined,
  run: () => success({ secret: true }),
})

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/payments',
  input,
  locations: { [FOR]: 'header' },
  requestedFor: ({ input: given }) => (given[FOR] === undefined ? undefined : { subject: given[FOR] }),
  approval: { role: 'finance', when: () => ({ message: 'A secret.', approver: { name: 'Finance' } }) },
  run: () => success({}),
})

type Headers = Record<string, string | undefined>
const alice = { 'x-actor-subject': 'alice', 'x-actor-issuer': 'https://one.example' }
const bob = { ...alice, 'x-actor-subject': 'bob' }
const otherAlice = { ...alice, 'x-actor-issuer': 'https://two.example' }
const agent = { ...alice, 'x-actor-subject': 'agent' }
const nobody = { 'x-actor-subject': undefined }
const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such resource.' }

/** A service whose operations stay in the state working. */
async function startReports() {
  const options = {
    operations: [report],
    store,
    operationRoles: ['support', 'admin'],
    runtime: { workers: 0 },
  }
  const { url } = await startService(options)
  const begin = async (headers: Headers) => {
    const answer = await ask(`${url}/reports`, {
      method: 'POST',
      headers: { prefer: 'respond-async', ...headers },
    })
    expect(answer.status).toBe(202)
    return (JSON.parse(answer.text) as { operationId: string }).operationId
  }
  const status = (id: string, headers: Headers) => ask(`${url}/operations/${id}/status`, { headers })
  const cancel = (id: string, headers: Headers) =>
    ask(`${url}/operations/${id}/cancel`, { method: 'POST', headers })
  return { begin, status, cancel }
}

describe('a background operation', () => {
  it('is shown to its requester, and unknown to everybody else of the tenant', async () => {
    const { begin, status, cancel } = await startReports()
    const id = await begin(alice)
    expect((await status(id, alice)).status).toBe(200)
    const others = [
      bob,
      otherAlice,
      nobody,
      { 'x-actor-subject': 'alice' },
      { ...bob, 'x-actor-roles': 'sup' },
    ]
    for (const headers of others) {
      expectAnswer(await status(id, headers), 404, notFound)
      expectAnswer(await cancel(id, headers), 404, notFound)
    }
    expect(JSON.parse((await status(id, alice)).text)).toMatchObject({ status: 'working' })
    expect(JSON.parse((await cancel(id, alice)).text)).toMatchObject({ status: 'cancelled' })
  })

  it('is shown to and cancelled by the roles of the service, in their tenant', async () => {
    const { begin, status, cancel } = await startReports()
    const id = await begin(alice)
    const support = { ...bob, 'x-actor-roles': 'reader, support' }
    expectAnswer(await status(id, { ...support, 'x-tenant-id': 'globex' }), 404, notFound)
    expectAnswer(await cancel(id, { ...support, 'x-tenant-id': 'globex' }), 404, notFound)
    expect((await status(id, support)).status).toBe(200)
    expect(JSON.parse((await cancel(id, support)).text)).toMatchObject({ status: 'cancelled' })
  })

  it('of an agent is shown to the person behind it too', async () => {
    const { begin, status, cancel } = await startReports()
    const id = await begin({ ...agent, [FOR]: 'alice' })
    expect((await status(id, agent)).status).toBe(200)
    expect((await status(id, alice)).status).toBe(200)
    expectAnswer(await status(id, otherAlice), 404, notFound)
    expectAnswer(await status(id, bob), 404, notFound)
    expect((await cancel(id, alice)).status).toBe(200)
    const own = await begin(agent)
    expectAnswer(await status(own, nobody), 404, notFound)
  })

  it('of a caller that is no agent stays its own', async () => {
    const { begin, status } = await startReports()
    const id = await begin({ ...bob, [FOR]: 'alice' })
    expectAnswer(await status(id, alice), 404, notFound)
    expect((await status(id, bob)).status).toBe(200)
  })

  it('without a subject belongs to all callers without one', async () => {
    const { begin, status } = await startReports()
    const id = await begin(nobody)
    expect((await status(id, nobody)).status).toBe(200)
    expectAnswer(await status(id, alice), 404, notFound)
  })

  it('accepted by an older version keeps its owner', async () => {
    const { begin, status, cancel } = await startReports()
    const id = await begin({ 'x-actor-subject': 'alice' })
    // Versions before these columns wrote the requester only into the job. U+0000 cannot be read from it by SQL.
    await store.query(
      `UPDATE agentic_operations SET requester = NULL, issuer = NULL, job = replace(job, '"input":{}', '"input":{"note":"\\u0000"}')`,
    )
    expect((await status(id, alice)).status).toBe(200)
    expectAnswer(await status(id, bob), 404, notFound)
    expect((await cancel(id, otherAlice)).status).toBe(200)
  })
})

describe('the text of an approval', () => {
  async function startBank() {
    const { url } = await startService({ operations: [pay], store })
    const request = async (headers: Headers) => {
      const answer = await ask(`${url}/payments`, { method: 'POST', headers })
      expect(answer.status).toBe(412)
      return url + (answer.headers.get('location') ?? '')
    }
    return { request }
  }
  const finance = { ...bob, 'x-actor-subject': 'carol', 'x-actor-roles': 'finance' }

  it('is for its requester and for the role that decides', async () => {
    const { request } = await startBank()
    const address = await request(alice)
    for (const headers of [alice, finance]) expect((await ask(address, { headers })).status).toBe(200)
    for (const headers of [bob, otherAlice, nobody, { ...finance, 'x-tenant-id': 'globex' }])
      expectAnswer(await ask(address, { headers }), 404, notFound)
  })

  it('is for the decider, also without the role later', async () => {
    const { request } = await startBank()
    const address = await request(alice)
    expect((await ask(`${address}/approve`, { method: 'POST', headers: finance })).status).toBe(200)
    const later = { ...finance, 'x-actor-roles': undefined }
    expect((await ask(address, { headers: later })).status).toBe(200)
    const other = { ...later, 'x-actor-issuer': 'https://two.example' }
    expectAnswer(await ask(address, { headers: other }), 404, notFound)
  })

  it('is for the person behind an agent, who cannot decide', async () => {
    const { request } = await startBank()
    const address = await request({ ...agent, [FOR]: 'alice' })
    expect((await ask(address, { headers: alice })).status).toBe(200)
    expectAnswer(await ask(address, { headers: bob }), 404, notFound)
    const headers = { ...alice, 'x-actor-roles': 'finance' }
    const decided = await ask(`${address}/approve`, { method: 'POST', headers })
    expect(JSON.parse(decided.text)).toMatchObject({ code: 'APPROVAL_OWN_REQUEST' })
  })
})
