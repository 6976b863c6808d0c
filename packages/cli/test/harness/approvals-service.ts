import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { sendOutcome } from './outcome-service.ts'

const hostile = 'x\u001b[2J\u202ey <b>z</b>'

/** An approval that waits, across an agent. */
export const pendingApproval = {
  approvalId: 'a-1',
  state: 'pending',
  operation: 'create-payment',
  message: 'Pay 500?',
  approver: { name: 'Finance' },
  role: 'finance',
  requester: 'agent-a',
  requestedFor: 'alice',
  request: {
    method: 'POST',
    path: '/payments',
    inputs: {
      body: { amount: 500, to: { iban: '***' }, tags: ['rent', 'may'], note: '' },
      query: { urgent: true },
    },
  },
  digest: 'd-1',
  quorum: 2,
  decisions: [
    {
      decidedBy: 'carol',
      verdict: 'approved',
      comment: 'in the budget',
      decidedAt: '2026-11-16T09:00:00.000Z',
    },
  ],
  via: ['alice called plan-payments'],
  createdAt: '2026-11-16T08:00:00.000Z',
  expiresAt: '2026-11-17T08:00:00.000Z',
}

const approvals: Readonly<Record<string, unknown>> = {
  'a-1': pendingApproval,
  hostile: {
    ...pendingApproval,
    approvalId: hostile,
    message: hostile,
    request: {
      method: 'POST',
      path: `/${hostile}`,
      inputs: { body: { to: { iban: 'DE1' }, 'to.iban': 'DE2', [hostile]: hostile, cc: [] } },
      truncated: true,
    },
    requesterIssuer: hostile,
    requestedForIssuer: 'https://issuer.example',
    decisions: [{ decidedBy: hostile, decidedByIssuer: hostile, verdict: 'approved', comment: hostile }],
    via: [hostile],
  },
  old: {
    approvalId: 'old',
    state: 'redeemed',
    operation: 'create-payment',
    message: 'Pay 5?',
    role: 'finance',
    requester: 'alice',
    request: null,
    createdAt: '2026-11-16T08:00:00.000Z',
    expiresAt: '2026-11-17T08:00:00.000Z',
  },
  rejected: { ...pendingApproval, approvalId: 'rejected', state: 'rejected', by: 'requester' },
}

/** Answers like a service with approvals. `mine` is one of the caller; `page` is a page that is none. */
export async function answerApprovals(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const [, , id = '', verb] = path.split('/')
  if (id === '') return sendList(request, response, new URLSearchParams(query))
  if (id === 'page') return sendOutcome(request, response, { type: 'success', body: { hello: 'world' } })
  if (id === 'mine' && verb !== undefined) return refuseOwn(request, response)
  const approval = id === 'mine' ? pendingApproval : approvals[id]
  if (approval === undefined)
    return sendOutcome(request, response, {
      type: 'error',
      code: 'NOT_FOUND',
      message: 'There is no such approval.',
      condition: 'not_found',
    })
  if (verb === undefined) return sendOutcome(request, response, { type: 'success', body: approval })
  const { digest, comment } = JSON.parse(await text(request))
  if (digest !== 'd-1')
    return sendOutcome(request, response, {
      type: 'conflict',
      code: 'APPROVAL_CHANGED',
      message: 'The approval is for another request.',
      conflictingResourceId: id,
    })
  const verdict = verb === 'approve' ? 'approved' : 'rejected'
  const decided = { decidedBy: 'bob', verdict, comment, decidedAt: '2026-11-16T10:00:00.000Z' }
  const decisions = [...pendingApproval.decisions, decided]
  sendOutcome(request, response, { type: 'success', body: { ...pendingApproval, state: verdict, decisions } })
}

function refuseOwn(request: IncomingMessage, response: ServerResponse): void {
  const message = 'The requester may not decide its own approval.'
  sendOutcome(request, response, { type: 'forbidden', code: 'APPROVAL_OWN_REQUEST', message })
}

function sendList(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
  const state = query.get('state')
  const found = state === 'used' ? [] : Object.values(approvals)
  const isFirst = query.get('cursor') === null
  const shown = isFirst ? found.slice(0, Number(query.get('limit'))) : found.slice(-1)
  const body = {
    approvals: shown,
    ...(isFirst && shown.length < found.length && { next: state === 'expired' ? hostile : 'c-2' }),
  }
  sendOutcome(request, response, { type: 'success', body })
}
