import { createClient, type PendingApproval } from '@agentic-rest/client'
import * as sdk from '@agentic-rest/service'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { startServer } from '@agentic-rest/testing/start-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const input = { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which?' } as const
const made: Record<sdk.OutcomeType, sdk.Outcome> = {
  success: sdk.success({ id: '1' }),
  created: sdk.created({ id: '1' }),
  accepted: sdk.accepted({ operationId: 'o', statusUrl: '/o' }),
  clarification_required: sdk.clarificationRequired({ message: 'm', requiredInputs: [input] }),
  validation_failed: sdk.validationFailed({ message: 'm', errors: [{ field: 'f', message: 'n' }] }),
  approval_required: sdk.approvalRequired({ message: 'm', approvalToken: 't' }),
  forbidden: sdk.forbidden({ code: 'C', message: 'm' }),
  conflict: sdk.conflict({ code: 'C', message: 'm' }),
  failed_dependency: sdk.failedDependency({ code: 'C', message: 'm' }),
  error: sdk.error({ code: 'C', message: 'm' }),
}
const types = Object.keys(made) as [sdk.OutcomeType, ...sdk.OutcomeType[]]

const give = sdk.defineOperation({
  id: 'give',
  method: 'POST',
  path: '/give',
  input: z.object({ type: z.enum(types) }),
  run: ({ input: { type } }) => made[type],
})

const spend = sdk.defineOperation({
  id: 'spend',
  method: 'POST',
  path: '/budgets/{budgetId}/spendings',
  input: z.object({ budgetId: z.string(), amount: z.int().describe('How much?') }),
  idempotent: true,
  async: true,
  approval: {
    role: 'finance',
    when: ({ input: { amount } }) => amount > 100 && { message: 'Much.', approver: { name: 'Finance' } },
  },
  run: ({ input: { amount }, commit, approval, subject }) =>
    commit(async () => sdk.created({ amount, by: subject, approved: approval !== undefined })),
})

const store = sdk.createStore({ memory: true })
beforeAll(() => store.migrate())
afterAll(() => store.close())

/** A service behind the real gateway, with all plugins and enforced routes. */
async function startBehindGateway() {
  const service = sdk.createService({ operations: [give, spend], store })
  onTestFinished(() => service.close())
  const { url: target } = await startServer(service.listener)
  const issuer = await startIssuer('RS256')
  onTestFinished(() => issuer.close())
  const route = (id: string, method: string, path: string) => ({
    id,
    method,
    path,
    target,
    conformance: 'enforce',
  })
  const gateway = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['RS256'] },
        ],
      },
    },
    routes: [
      route('give', 'POST', '/give'),
      route('spend', 'POST', '/budgets/{budgetId}/spendings'),
      route('status', 'GET', '/operations/{operationId}/status'),
      route('approval', 'GET', '/approvals/{approvalId}'),
      route('approve', 'POST', '/approvals/{approvalId}/approve'),
      route('document', 'GET', '/openapi.json'),
    ],
  })
  const clientFor = async (sub: string, roles: readonly string[] = []) => {
    const token = await issuer.token({ claims: { sub, aud: 'agentic', tenant_id: 'acme', roles } })
    return createClient({ baseUrl: gateway.url, token, tenantId: 'acme' })
  }
  return { gateway, clientFor }
}

describe('a service behind the gateway, with conformance enforced', () => {
  it('has every one of the ten outcomes passed on as it is', async () => {
    const { gateway, clientFor } = await startBehindGateway()
    const alice = await clientFor('alice')
    for (const type of types) {
      const outcome = await alice.request({ method: 'POST', path: '/give', body: { type } })
      expect(outcome).toMatchObject(made[type])
      expect(outcome.answer.profile).toBe('v0.3')
    }
    const scrape = await gateway.metrics()
    for (const outcome of types)
      expect(metricValue(scrape, 'agentic_requests_total', { route: 'give', outcome })).toBe(1)
    expect(scrape).not.toMatch(/^agentic_profile_violations_total\{/m)
  })

  it('has its own questions, faults and unknown resources passed on', async () => {
    const { clientFor } = await startBehindGateway()
    const alice = await clientFor('alice')
    const spendings = {
      method: 'POST',
      path: '/budgets/{budgetId}/spendings',
      params: { budgetId: 'b' },
    } as const
    expect(await alice.request({ ...spendings, body: {} })).toMatchObject({
      type: 'clarification_required',
      requiredInputs: [{ name: 'amount', location: 'body', type: 'integer', question: 'How much?' }],
    })
    expect(await alice.request({ ...spendings, body: { amount: 'x' } })).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'amount' }],
    })
    expect(
      await alice.request({ method: 'GET', path: '/approvals/{approvalId}', params: { approvalId: 'x' } }),
    ).toMatchObject({ type: 'error', condition: 'not_found', code: 'NOT_FOUND' })
    expect(await alice.request({ method: 'GET', path: '/openapi.json' })).toMatchObject({
      type: 'success',
      body: { openapi: '3.1.1' },
    })
  })

  it('lets a client finish an exchange: clarification, approval by another person, waiting, replay', async () => {
    const { gateway, clientFor } = await startBehindGateway()
    const alice = await clientFor('alice', ['finance'])
    const bob = await clientFor('bob', ['finance'])
    const request = {
      method: 'POST',
      path: '/budgets/{budgetId}/spendings',
      params: { budgetId: 'b' },
      headers: { Prefer: 'respond-async' },
      idempotencyKey: 'spend-1',
      body: {},
    } as const
    const handlers = {
      onClarification: () => ({ amount: 500 }),
      async onApproval({ location = '' }: PendingApproval) {
        const path = `${location.slice(gateway.url.length)}/approve`
        expect(await alice.request({ method: 'POST', path })).toMatchObject({ code: 'APPROVAL_OWN_REQUEST' })
        expect(await bob.request({ method: 'POST', path })).toMatchObject({ type: 'success' })
        return true
      },
    }
    const done = await alice.run(request, handlers)
    expect(done).toMatchObject({ type: 'created', body: { amount: 500, by: 'alice', approved: true } })
    const again = await alice.run(request, { onClarification: () => ({ amount: 500 }) })
    expect(again).toMatchObject({ type: 'created', body: { amount: 500 } })
    expect(gateway.audit.map(({ tenant_id, actor_id }) => `${tenant_id} ${actor_id}`)).toEqual(
      expect.arrayContaining(['acme alice', 'acme bob']),
    )
  })
})
