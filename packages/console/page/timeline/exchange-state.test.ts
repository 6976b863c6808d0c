import { expect, test } from 'vitest'
import type { EndedWork, RequestGroup } from '../api/recent-exchanges.ts'
import { requestName, titleOf } from './exchange-state.ts'

const CREATE = { method: 'POST', path: '/campaigns/c-1/optimizations', route: 'create-optimization' }
const APPROVAL = { method: 'GET', path: '/approvals/a-1', route: 'read-approval' }
const STATUS = { method: 'GET', path: '/operations/o-1/status', route: 'read-operation' }

const need = { outcome: 'approval_required', status: 412 }
const created = { outcome: 'created', status: 201 }
const accepted = { outcome: 'accepted', status: 202 }
const fine = { outcome: 'success', status: 200 }

function sent(startMs: number, own: Partial<RequestGroup>): RequestGroup {
  const times = { startMs, lastStartMs: startMs, endMs: startMs + 5 }
  return {
    requestId: `r-${startMs}`,
    tenant: 'acme',
    actor: 'alice',
    code: '',
    inner: false,
    mcp: null,
    count: 1,
    ...CREATE,
    ...fine,
    ...times,
    ...own,
  }
}

/** The name and the state as one line. */
function line(requests: readonly RequestGroup[], ended: readonly EndedWork[] = []): string {
  const { name, state } = titleOf(requests, ended) ?? {}
  return `${name}: ${state?.status} ${state?.words} (${state?.family}, ${state?.kind})`
}

test('an exchange is named by its first request', () => {
  expect(line([sent(0, created)])).toBe('POST create-optimization: 201 created (done, ended)')
  expect(line([sent(9, fine), sent(3, { ...STATUS, outcome: 'not_found', status: 404 })])).toBe(
    'GET read-operation: 404 not found (refused, ended)',
  )
  expect(titleOf([], [])).toBeUndefined()
})

test('the name has the method once, and the path if there is no route', () => {
  expect(requestName({ method: 'POST', route: 'POST /things/{id}', path: '/things/1' })).toBe(
    'POST /things/{id}',
  )
  expect(requestName({ method: 'GET', route: 'unmatched', path: '/nowhere' })).toBe('GET /nowhere')
  expect(requestName({ method: '', route: 'read', path: '' })).toBe('read')
})

test('a pending approval waits, whatever was asked after it', () => {
  const waiting = 'POST create-optimization: 412 waiting for approval (asks, waiting)'
  const asked = sent(0, need)
  expect(line([asked])).toBe(waiting)
  expect(line([asked, sent(10, APPROVAL)])).toBe(waiting)
  expect(line([asked, sent(10, { ...APPROVAL, count: 40, lastStartMs: 900 })])).toBe(waiting)
  expect(line([asked, sent(10, { method: 'GET', path: '/campaigns/c-1', route: 'read-campaign' })])).toBe(
    waiting,
  )
  const refused = {
    method: 'POST',
    path: '/approvals/a-1/approve',
    route: 'approve',
    outcome: 'forbidden',
    status: 403,
  }
  expect(line([asked, sent(10, refused)])).toBe(waiting)
})

test('a given approval waits for its request, which ends it', () => {
  const approve = sent(10, {
    method: 'POST',
    path: '/approvals/a-1/approve',
    route: 'approve',
    actor: 'dave',
  })
  const asked = [sent(0, need), approve]
  expect(line(asked)).toBe('POST create-optimization: 412 approved, not sent again (asks, waiting)')
  expect(line([...asked, sent(20, created)])).toBe('POST create-optimization: 201 created (done, ended)')
})

test('a rejected approval has ended', () => {
  const reject = sent(10, { method: 'POST', path: '/approvals/a-1/reject', route: 'reject', actor: 'dave' })
  expect(line([sent(0, need), reject])).toBe(
    'POST create-optimization: 412 approval rejected (refused, ended)',
  )
  expect(line([sent(0, need), reject, sent(20, need)])).toBe(
    'POST create-optimization: 412 waiting for approval (asks, waiting)',
  )
})

test('a clarification waits for input until it is answered', () => {
  const asked = sent(0, { outcome: 'clarification_required', status: 400 })
  expect(line([asked])).toBe('POST create-optimization: 400 waiting for input (asks, waiting)')
  expect(line([asked, sent(9, created)])).toBe('POST create-optimization: 201 created (done, ended)')
})

test('work in the background runs until its end is recorded, and then is its result', () => {
  const requests = [sent(0, accepted), sent(10, { ...STATUS, count: 12, lastStartMs: 4000 })]
  expect(line(requests)).toBe('POST create-optimization: 202 running in the background (background, running)')
  const end = (own: Partial<EndedWork>) => [
    { requestId: 'r-0', tenant: 'acme', atMs: 3000, ...created, ...own },
  ]
  expect(line(requests, end({}))).toBe('POST create-optimization: 201 created (done, ended)')
  expect(titleOf(requests, end({}))?.state.background).toEqual({ startMs: 5, endMs: 3000 })
  expect(titleOf(requests, [])?.state.background).toEqual({ startMs: 5, endMs: undefined })
  expect(line(requests, end({ outcome: 'failed_dependency', status: 424 }))).toBe(
    'POST create-optimization: 424 failed dependency (failed, ended)',
  )
  expect(line(requests, end(need))).toBe('POST create-optimization: 412 waiting for approval (asks, waiting)')
  expect(line(requests, end({ requestId: 'another' }))).toMatch('running in the background')
})

test('cancelled work has ended', () => {
  const cancel = sent(50, { method: 'POST', path: '/operations/o-1/cancel', route: 'cancel-operation' })
  expect(line([sent(0, accepted), cancel])).toBe('POST create-optimization: 202 cancelled (refused, ended)')
})

test('a failure stays one, whatever was read after it', () => {
  const failed = sent(0, { outcome: 'error', status: 500 })
  expect(line([failed, sent(9, { method: 'GET', path: '/campaigns/c-1', route: 'read-campaign' })])).toBe(
    'POST create-optimization: 500 error (failed, ended)',
  )
})

test('another operation of the client decides only while it waits or runs', () => {
  const read = sent(0, { method: 'GET', path: '/campaigns/c-1', route: 'read-campaign' })
  expect(titleOf([read, sent(9, need)], [])).toMatchObject({
    name: 'GET read-campaign',
    state: { words: 'waiting for approval' },
    decidedBy: 'POST create-optimization',
  })
  expect(line([read, sent(9, need), sent(20, created)])).toBe('GET read-campaign: 200 success (done, ended)')
})

test('a call of a service decides nothing', () => {
  const inner = sent(2, { ...need, path: '/stock', route: 'read-stock', inner: true })
  expect(line([sent(0, created), inner])).toBe('POST create-optimization: 201 created (done, ended)')
})

test('requests of other tenants with the same id decide nothing', () => {
  const carol = { tenant: 'globex', actor: 'carol' }
  const approve = { method: 'POST', path: '/approvals/a-1/approve', route: 'approve' }
  const waits = 'POST create-optimization: 412 waiting for approval (asks, waiting)'
  expect(line([sent(0, need), sent(9, { ...created, ...carol })])).toBe(waits)
  expect(line([sent(0, need), sent(9, { ...created, ...carol, actor: 'alice' })])).toBe(waits)
  expect(line([sent(0, need), sent(9, { ...approve, ...carol })])).toBe(waits)
  const end = { requestId: 'r-0', tenant: 'globex', atMs: 3000, ...created }
  expect(line([sent(0, accepted)], [end])).toMatch('running in the background')
  expect(line([sent(0, created), sent(9, { ...need, ...carol, actor: 'alice' })])).toBe(
    'POST create-optimization: 201 created (done, ended)',
  )
})

test('refused requests without a tenant decide only while no other request has one', () => {
  const refused = { tenant: '', actor: '', outcome: 'unauthenticated', status: 401 }
  expect(line([sent(0, need), sent(9, refused)])).toMatch('412 waiting for approval')
  expect(line([sent(0, refused), sent(9, created)])).toMatch('201 created')
  expect(line([sent(0, refused), sent(9, refused)])).toMatch('401 unauthenticated')
})
