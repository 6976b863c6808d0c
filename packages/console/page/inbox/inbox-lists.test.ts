import { adminBodies } from '@agentic-rest/profile/admin'
import {
  countWaiting,
  faultsOf,
  findServices,
  mergeSources,
  pickList,
  readListName,
  type Source,
} from '@agentic-rest/profile/approval'
import { expect, test } from 'vitest'
import type { Route } from '../api/bodies.ts'
import { exampleApproval, NOW } from './example-approval.ts'

const dave = { me: { subject: 'dave', issuer: undefined }, now: NOW }
const alice = { me: { subject: 'alice', issuer: undefined }, now: NOW }

function source(members: Partial<Source>, routeId = 'list-approvals'): Source {
  const service = { routeId, path: '/approvals', target: 'http://127.0.0.1:8081' }
  return { service, state: 'pending', approvals: [], hasMore: false, fault: '', ...members }
}

const idsOf = (sources: readonly Source[]) => mergeSources(sources).map(({ approval }) => approval.approvalId)

test('services are the routes that list approvals', () => {
  const route = (id: string, method: string, path: string): Partial<Route> => ({ id, method, path })
  const { routes } = adminBodies.Routes.read({
    routes: [
      route('a', 'GET', '/approvals'),
      route('b', 'GET', '/approvals/{approvalId}'),
      route('c', 'POST', '/approvals'),
      route('d', 'GET', '/billing/approvals'),
      route('e', 'GET', '/tenants/{tenant}/approvals'),
      route('f', 'GET', '/old-approvals'),
    ],
  })
  expect(findServices(routes).map(({ routeId }) => routeId)).toEqual(['a', 'd'])
})

test('lists are merged, the newest first', () => {
  const early = exampleApproval({ approvalId: 'early', createdAt: '2026-05-04T08:00:00Z' })
  const late = exampleApproval({ approvalId: 'late', createdAt: '2026-05-04T10:00:00Z' })
  expect(idsOf([source({ approvals: [early] }), source({ approvals: [late] }, 'other')])).toEqual([
    'late',
    'early',
  ])
})

test('an approval that several routes list is there once, in its latest state', () => {
  const pending = exampleApproval()
  const decisions = [{ decidedBy: 'dave', verdict: 'approved' }]
  const approved = exampleApproval({ state: 'approved', decisions })
  const sources = [source({ approvals: [pending] }), source({ approvals: [approved] }, 'inner')]
  for (const order of [sources, sources.toReversed()]) {
    const [listed, ...rest] = mergeSources(order)
    expect(listed?.approval.state).toBe('approved')
    expect(rest).toEqual([])
  }
})

test('another service cannot hide an approval by using its id', () => {
  const mimic = exampleApproval({ digest: 'another', state: 'withdrawn' })
  const sources = [source({ approvals: [mimic] }, 'mimic'), source({ approvals: [exampleApproval()] })]
  expect(mergeSources(sources)).toHaveLength(2)
  expect(countWaiting(sources, dave)).toBe('1')
})

test('the lists are what waits for the person, its own, and the decided ones', () => {
  const all = mergeSources([
    source({
      approvals: [
        exampleApproval({ approvalId: 'open' }),
        exampleApproval({ approvalId: 'daves', requester: 'dave' }),
        exampleApproval({ approvalId: 'done', state: 'used' }),
        exampleApproval({ approvalId: 'over', expiresAt: '2026-05-04T11:59:00Z' }),
      ],
    }),
  ])
  const ids = (name: 'waiting' | 'asked' | 'decided', look = dave) =>
    pickList(all, name, look).map(({ approval }) => approval.approvalId)
  expect(ids('waiting')).toEqual(['open'])
  expect(ids('asked')).toEqual(['daves'])
  expect(ids('decided')).toEqual(['done', 'over'])
  expect(ids('waiting', alice)).toEqual(['daves'])
})

test('the count says if there may be more', () => {
  const approvals = [exampleApproval(), exampleApproval({ approvalId: 'a-2' })]
  expect(countWaiting([source({ approvals })], dave)).toBe('2')
  expect(countWaiting([source({ approvals, hasMore: true })], dave)).toBe('2+')
  expect(countWaiting([source({ approvals, hasMore: true })], alice)).toBe('')
})

test('a service that fails in several lists is named once', () => {
  const sources = [
    source({ fault: 'no answer' }),
    source({ state: 'used', fault: 'no answer' }),
    source({}, 'fine'),
  ]
  expect(faultsOf(sources).map(({ service, fault }) => [service.routeId, fault])).toEqual([
    ['list-approvals', 'no answer'],
  ])
})

test('the address names the list', () => {
  expect(['list=asked', 'list=decided', 'list=others', ''].map(readListName)).toEqual([
    'asked',
    'decided',
    'waiting',
    'waiting',
  ])
})
