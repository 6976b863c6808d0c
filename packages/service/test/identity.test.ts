import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid, trace } from './harness/ask.ts'

const whoami = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/whoami',
  run: ({ tenant, actor, subject = 'nobody', roles, idempotencyKey = 'none' }) =>
    success({ tenant, actor, subject, roles, idempotencyKey }),
})

const start = (more: { defaultTenant?: string } = {}) => startService({ operations: [whoami], ...more })

it('the identity is what the gateway says', async () => {
  const { url } = await start()
  const headers = {
    'x-tenant-id': 'globex',
    'x-actor-principal': 'Alice A.',
    'x-actor-subject': 'alice',
    'x-actor-roles': 'campaign:optimize, ,approver',
    'idempotency-key': 'k 1',
  }
  expectAnswer(await ask(`${url}/whoami`, { headers }), 200, {
    tenant: 'globex',
    actor: 'Alice A.',
    subject: 'alice',
    roles: ['campaign:optimize', 'approver'],
    idempotencyKey: 'k 1',
  })
})

it('without a principal the subject acts, and without both nobody does', async () => {
  const { url } = await start()
  const nobody = { tenant: 'acme', actor: '', subject: 'nobody', roles: [], idempotencyKey: 'none' }
  expectAnswer(await ask(`${url}/whoami`), 200, { ...nobody, actor: 'alice', subject: 'alice' })
  expectAnswer(await ask(`${url}/whoami`, { headers: { 'x-actor-subject': undefined } }), 200, nobody)
})

describe('a request without a tenant', () => {
  it('is refused', async () => {
    const { url } = await start()
    expectAnswer(await ask(`${url}/whoami`, { headers: { 'x-tenant-id': undefined } }), 403, {
      type: 'forbidden',
      code: 'TENANT_REQUIRED',
      message:
        'No tenant is known for this caller: its token needs a tenant claim, which a gateway passes on, or the service a default tenant.',
    })
  })

  it('has the tenant of a service that is not behind a gateway', async () => {
    const { url } = await start({ defaultTenant: 'local' })
    const answer = await ask(`${url}/whoami`, { headers: { 'x-tenant-id': undefined } })
    expect(JSON.parse(answer.text).tenant).toBe('local')
    expect(JSON.parse((await ask(`${url}/whoami`)).text).tenant).toBe('acme')
  })
})

it.each(['a, b', 'a b', '../x', 'a/b', 'x'.repeat(65), "a'--", 'a%00'])(
  'the tenant %j is not known',
  async (tenant) => {
    const { url } = await start({ defaultTenant: 'local' })
    expectAnswer(await ask(`${url}/whoami`, { headers: { 'x-tenant-id': tenant } }), 403, {
      type: 'forbidden',
      code: 'TENANT_UNKNOWN',
      message: 'The tenant is not known here.',
    })
  },
)

describe('ids', () => {
  it('are made when they are absent or empty, and are the same in body and headers', async () => {
    const { url } = await start()
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    for (const value of [undefined, '']) {
      const answer = await ask(`${url}/whoami`, {
        headers: { 'x-correlation-id': value, 'x-request-id': value },
      })
      const made = JSON.parse(answer.text).trace
      expect(made).toEqual({
        correlationId: expect.stringMatching(uuid),
        requestId: expect.stringMatching(uuid),
      })
      expect(made).toEqual({
        correlationId: answer.headers.get('x-correlation-id'),
        requestId: answer.headers.get('x-request-id'),
      })
    }
  })

  it('that cannot be used are refused by name, and the others kept', async () => {
    const { url } = await start()
    const answer = await ask(`${url}/whoami`, { headers: { 'x-request-id': 'é' } })
    expect(answer.status).toBe(422)
    const body = JSON.parse(answer.text)
    expect(body.errors).toEqual([
      { field: 'X-Request-ID', message: 'has to be 1 to 256 printable ASCII characters' },
    ])
    expect(body.trace.correlationId).toBe(trace.correlationId)
    expect(body.trace.requestId).toBe(answer.headers.get('x-request-id'))
    expect(body.trace.requestId).not.toBe('é')
  })
})

it('an empty idempotency key counts as absent', async () => {
  const { url } = await start()
  const absent = await ask(`${url}/whoami`)
  const empty = await ask(`${url}/whoami`, { headers: { 'idempotency-key': '' } })
  expect([empty.status, empty.text]).toEqual([200, absent.text])
})

it.each(['é', 'x'.repeat(256)])('the idempotency key %j is refused', async (key) => {
  const { url } = await start()
  expectInvalid(await ask(`${url}/whoami`, { headers: { 'idempotency-key': key } }), [
    { field: 'Idempotency-Key', message: 'has to be 1 to 255 printable ASCII characters' },
  ])
})
