import type { AuditEvent } from '@agentic-rest/service'
import { startServer } from '@agentic-rest/testing/start-server'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createInventory } from '../../examples/inventory/src/inventory.ts'
import { prepareTables } from '../../examples/inventory/src/tables.ts'
import { type Asking, ask, expectAnswer, expectInvalid } from '../../packages/service/test/harness/ask.ts'
import { preparedStore } from './prepared-store.ts'

const store = preparedStore(prepareTables)
beforeEach(async () => void (await store.query('TRUNCATE stock_checks RESTART IDENTITY')))

async function startInventory(agentIssuer?: string) {
  const audit: AuditEvent[] = []
  const service = createInventory({ store, agentIssuer, audit: { emit: (event) => void audit.push(event) } })
  const { url } = await startServer(service.listener)
  onTestFinished(() => service.close())
  const checks = async (productId: string, query = '', asking: Asking = {}) =>
    JSON.parse((await ask(`${url}/inventory/${productId}/stock-checks${query}`, asking)).text)
  return { audit, checks, stock: (path: string, asking?: Asking) => ask(`${url}/inventory/${path}`, asking) }
}

const agent = { 'x-actor-subject': 'recommendations', 'x-requested-for': 'alice' }
const approver = { 'x-actor-subject': 'dave', 'x-actor-roles': 'campaign:approve' }

test('a look returns the free stock of the only warehouse and is recorded', async () => {
  const { stock, checks, audit } = await startInventory()
  const answer = await stock('prd-123/stock')
  const { checkedAt } = JSON.parse(answer.text)
  const found = { productId: 'prd-123', warehouse: 'wh-berlin', available: 42 }
  expectAnswer(answer, 200, {
    ...found,
    city: 'Berlin',
    onHand: 64,
    reserved: 22,
    checkId: 'chk-1',
    checkedAt,
  })
  const record = { checkedBy: 'alice', requestedFor: null, idempotencyKey: null, correlationId: 'corr-1' }
  expect((await checks('prd-123')).items).toEqual([{ id: 'chk-1', ...found, ...record, checkedAt }])
  expect(audit[0]).toMatchObject({ operation: 'read-stock', attributes: { warehouse: 'wh-berlin' } })
})

test('a look of another tenant finds the stock and records of that tenant', async () => {
  const { stock, checks } = await startInventory()
  const globex = { headers: { 'x-tenant-id': 'globex' } }
  expect(JSON.parse((await stock('prd-123/stock', globex)).text)).toMatchObject({
    warehouse: 'wh-austin',
    available: 250,
  })
  expect((await checks('prd-123')).items).toEqual([])
  expect((await checks('prd-123', '', globex)).items).toHaveLength(1)
  const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such product.' }
  for (const path of ['prd-export/stock', 'prd-export/stock-checks', 'prd-none/stock', '__proto__/stock'])
    expectAnswer(await stock(path, globex), 404, notFound)
})

test('a product in several warehouses needs one of them', async () => {
  const { stock, checks } = await startInventory()
  expectAnswer(await stock('prd-multi/stock'), 400, {
    type: 'clarification_required',
    code: 'CLARIFICATION_REQUIRED',
    message: 'The product is in several warehouses.',
    requiredInputs: [
      {
        name: 'warehouse',
        location: 'query',
        type: 'string',
        required: true,
        question: 'The product is in several warehouses. Which one is it to come from?',
        allowedValues: ['wh-berlin', 'wh-rotterdam'],
      },
    ],
  })
  expect(JSON.parse((await stock('prd-multi/stock?warehouse=wh-rotterdam')).text)).toMatchObject({
    warehouse: 'wh-rotterdam',
    available: 105,
  })
  expect((await checks('prd-multi')).items).toHaveLength(1)
})

test.each(['wh-turin', 'nowhere', '', '%00', "'; DROP TABLE stock; --", '__proto__'])(
  'the warehouse %j, which does not have the product, is asked about',
  async (warehouse) => {
    const { stock, checks } = await startInventory()
    expectAnswer(await stock(`prd-multi/stock?warehouse=${encodeURIComponent(warehouse)}`), 400, {
      type: 'clarification_required',
      code: 'CLARIFICATION_REQUIRED',
      message: 'The product is not in this warehouse.',
      requiredInputs: [
        {
          name: 'warehouse',
          location: 'query',
          type: 'string',
          required: true,
          question: 'The product is not in this warehouse. Which one is it to come from?',
          allowedValues: ['wh-berlin', 'wh-rotterdam'],
        },
      ],
    })
    expect((await checks('prd-multi')).items).toEqual([])
  },
)

test('a warehouse whose system is down is a failed dependency and no look', async () => {
  const { stock, checks } = await startInventory()
  expectAnswer(await stock('prd-offline/stock', { headers: { 'idempotency-key': 'offline' } }), 424, {
    type: 'failed_dependency',
    code: 'WAREHOUSE_UNAVAILABLE',
    message: 'The system of the warehouse in Turin does not answer.',
  })
  expect((await checks('prd-offline')).items).toEqual([])
})

test('one key is one look, of ten at once too, and the outcome is the same', async () => {
  const { stock, checks } = await startInventory()
  const keyed = { headers: { 'idempotency-key': 'key-1' } }
  const first = await stock('prd-123/stock', keyed)
  const again = await Promise.all(Array.from({ length: 10 }, () => stock('prd-123/stock', keyed)))
  for (const { status, text, headers } of again) {
    expect([status, text, headers.get('idempotency-replayed')]).toEqual([200, first.text, 'true'])
  }
  const atOnce = Array.from({ length: 10 }, () =>
    stock('prd-124/stock', { headers: { 'idempotency-key': 'key-2' } }),
  )
  const statuses = (await Promise.all(atOnce)).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
  expect((await checks('prd-123')).items).toMatchObject([{ idempotencyKey: 'key-1' }])
  expect((await checks('prd-124')).items).toMatchObject([{ idempotencyKey: 'key-2' }])
})

test('a key of another product is refused', async () => {
  const { stock, checks } = await startInventory()
  const keyed = { headers: { 'idempotency-key': 'key-3' } }
  await stock('prd-123/stock', keyed)
  expectInvalid(await stock('prd-124/stock', keyed), [
    { field: 'Idempotency-Key', message: 'The key was used for another request.' },
  ])
  expect((await checks('prd-124')).items).toEqual([])
})

test('a list comes in parts, the latest first', async () => {
  const { stock, checks } = await startInventory()
  for (let count = 0; count < 11; count += 1) await stock('prd-123/stock')
  const first = await checks('prd-123', '?limit=9')
  const second = await checks('prd-123', `?limit=9&cursor=${first.next}`)
  const numbers = [...first.items, ...second.items].map(({ id }) => Number(id.slice('chk-'.length)))
  expect(numbers).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect([first.next, second.next]).toEqual(['3', null])
  for (const query of ['?limit=0', '?limit=101', '?limit=x', '?cursor=-1', '?cursor=x'])
    expect(await checks('prd-123', query)).toMatchObject({ type: 'validation_failed' })
})

async function askedForApproval(inventory: Awaited<ReturnType<typeof startInventory>>, asking: Asking) {
  const answer = await inventory.stock('prd-export/stock', asking)
  const { approvalToken } = JSON.parse(answer.text)
  expectAnswer(answer, 412, {
    type: 'approval_required',
    code: 'APPROVAL_REQUIRED',
    message: 'prd-export is under export control: its stock is told after an approval.',
    approvalToken,
    approver: { name: 'Export control' },
  })
  const path = `..${answer.headers.get('location')}`
  const approve = (headers: Record<string, string>) =>
    inventory.stock(`${path}/approve`, { method: 'POST', headers })
  const read = (headers: Record<string, string>) => inventory.stock(path, { headers })
  return { approvalToken, approve, read }
}

test('stock under export control is shown once after the approval of another person', async () => {
  const inventory = await startInventory()
  const { approvalToken, approve } = await askedForApproval(inventory, { headers: agent })
  const resent = { headers: { ...agent, 'x-approval-token': approvalToken } }
  expect((await inventory.stock('prd-export/stock', resent)).status).toBe(412)
  expect((await approve({ 'x-actor-subject': 'bob' })).status).toBe(403)
  expect((await approve(approver)).status).toBe(200)
  const stolen = { headers: { ...resent.headers, 'x-requested-for': 'bob' } }
  expect((await inventory.stock('prd-export/stock', stolen)).status).toBe(403)
  const answer = await inventory.stock('prd-export/stock', resent)
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { available: 5 }])
  expect((await inventory.stock('prd-export/stock', resent)).status).toBe(403)
  expect((await inventory.checks('prd-export')).items).toMatchObject([
    { checkedBy: 'recommendations', requestedFor: 'alice' },
  ])
})

test('the person behind an agent cannot approve the request of the agent', async () => {
  const inventory = await startInventory()
  const forDave = { ...agent, 'x-requested-for': 'dave' }
  const { approvalToken, approve, read } = await askedForApproval(inventory, { headers: forDave })
  expectAnswer(await approve(approver), 403, {
    type: 'forbidden',
    code: 'APPROVAL_OWN_REQUEST',
    message: 'Somebody else than the requester has to decide this.',
  })
  const resent = { headers: { ...forDave, 'x-approval-token': approvalToken } }
  expect((await inventory.stock('prd-export/stock', resent)).status).toBe(412)
  expect((await inventory.checks('prd-export')).items).toEqual([])
  for (const headers of [forDave, { 'x-actor-subject': 'dave' }])
    expect(JSON.parse((await read(headers)).text)).toMatchObject({
      state: 'pending',
      requester: 'recommendations',
      requestedFor: 'dave',
    })
  expect((await read({ 'x-actor-subject': 'alice' })).status).toBe(404)
  // The attempt locks nobody out: another person can still decide.
  expect((await approve({ ...approver, 'x-actor-subject': 'erin' })).status).toBe(200)
  expect((await inventory.stock('prd-export/stock', resent)).status).toBe(200)
})

test('a person cannot claim to look on behalf of another person', async () => {
  const { stock, checks } = await startInventory()
  await stock('prd-123/stock', { headers: { 'x-requested-for': 'bob' } })
  expect((await checks('prd-123')).items).toMatchObject([{ checkedBy: 'alice', requestedFor: null }])
})

test('with an issuer of agents, the same subject of another issuer is no agent', async () => {
  const inventory = await startInventory('https://agents.example')
  const looks = [
    { 'x-actor-issuer': 'https://people.example' },
    { 'x-actor-issuer': 'https://agents.example' },
  ]
  for (const issuer of looks) await inventory.stock('prd-123/stock', { headers: { ...agent, ...issuer } })
  expect((await inventory.checks('prd-123')).items).toMatchObject([
    { checkedBy: 'recommendations', requestedFor: 'alice' },
    { checkedBy: 'recommendations', requestedFor: null },
  ])
})

test('the person behind an agent is known by issuer and subject', async () => {
  const inventory = await startInventory()
  const headers = { ...agent, 'x-requested-for': 'dave', 'x-requested-for-issuer': 'https://one.example' }
  const { approve, read } = await askedForApproval(inventory, { headers })
  const one = { ...approver, 'x-actor-issuer': 'https://one.example' }
  const two = { ...approver, 'x-actor-issuer': 'https://two.example' }
  expect((await read({ 'x-actor-subject': 'dave', 'x-actor-issuer': 'https://one.example' })).status).toBe(
    200,
  )
  expect((await read({ 'x-actor-subject': 'dave', 'x-actor-issuer': 'https://two.example' })).status).toBe(
    404,
  )
  expect((await approve(one)).status).toBe(403)
  expect((await approve(approver)).status).toBe(403)
  expect((await approve(two)).status).toBe(200)
})
