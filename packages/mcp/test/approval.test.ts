import { describe, expect, test } from 'vitest'
import {
  approvalAnswer,
  call,
  type Json,
  modern,
  type ScriptedGateway,
  scriptedGateway,
} from './scripted-gateway.ts'

const given = { campaignId: 'c1' }
const capabilities = { elicitation: { url: {} } }
const token = 'secret-approval-token'

/** A gateway with one approval whose state a test changes. */
function approving(initial = 'pending') {
  const approval = { state: initial }
  const gateway = scriptedGateway({
    answer(request) {
      if (request.path === '/approvals/apr-81') {
        return { type: 'success', body: { approvalId: 'apr-81', state: approval.state, role: 'finance' } }
      }
      if (request.headers['X-Approval-Token'] === undefined) return approvalAnswer(request, token)
      if (approval.state === 'approved') return { type: 'success', body: { paid: 500 } }
      return { type: 'forbidden', code: 'APPROVAL_INVALID', message: 'Rejected.' }
    },
  })
  return { gateway, approval }
}

const accept = { approval: { action: 'accept' } }
const retry = (gateway: ScriptedGateway, requestState: string, inputResponses: Json = {}, meta: Json = {}) =>
  call(gateway, given, { capabilities, meta, params: { requestState, inputResponses } })

describe('an approval on 2026-07-28', () => {
  test('is one link, and then the decision', async () => {
    const { gateway, approval } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    expect(first).toEqual({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: 'https://agents.example.com/approvals/apr-81',
            message:
              'Pay 500? Somebody with the role finance has to decide this, and not the person who asked. Open or pass on the link.',
          },
        },
      },
      requestState: expect.stringMatching(/^v1\./),
      _meta: expect.anything(),
    })
    approval.state = 'approved'
    const { result } = await retry(gateway, first.requestState, accept)
    expect(result.structuredContent).toMatchObject({ paid: 500 })
    const last = gateway.sent.at(-1)
    expect(last?.headers['X-Approval-Token']).toBe(token)
    expect(last?.headers['Idempotency-Key']).toBe(gateway.sent[0]?.headers['Idempotency-Key'])
  })

  test('is held while it is open, and later rounds have the state alone', async () => {
    const { gateway, approval } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    const held = retry(gateway, first.requestState, accept)
    await gateway.clock.advance(25_000)
    const { result: second } = await held
    expect(Object.keys(second).sort()).toEqual(['_meta', 'requestState', 'resultType'])
    const again = retry(gateway, second.requestState)
    await gateway.clock.advance(3000)
    approval.state = 'approved'
    await gateway.clock.advance(1000)
    expect((await again).result.structuredContent).toMatchObject({ paid: 500 })
  })

  test('reports progress while it is held', async () => {
    const { gateway } = approving()
    const { result } = await call(gateway, given, { capabilities })
    const params = {
      name: 'create-optimization',
      arguments: given,
      requestState: result.requestState,
      inputResponses: accept,
    }
    const answer = await modern(gateway, 'tools/call', params, { capabilities, meta: { progressToken: 'p' } })
    expect(answer.headers['Content-Type']).toBe('text/event-stream')
    const frames = answer.body as AsyncGenerator<string, void>
    const { value } = await frames.next()
    expect(value).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"Waiting for the approval."}}\n\n',
    )
    await frames.return()
    const before = gateway.sent.length
    await gateway.clock.advance(10_000)
    expect(gateway.sent.length).toBe(before)
  })

  test.each(['rejected', 'expired'])('that is %s is answered by the service', async (state) => {
    const { gateway, approval } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    approval.state = state
    const { result } = await retry(gateway, first.requestState, accept)
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { type: 'forbidden', code: 'APPROVAL_INVALID' },
    })
  })

  test('is an answer after four minutes, with the link and the next step', async () => {
    const { gateway } = approving()
    let { result } = await call(gateway, given, { capabilities })
    let responses: Json = accept
    for (let count = 0; result.resultType === 'input_required' && count < 20; count += 1) {
      const held = retry(gateway, result.requestState, responses)
      await gateway.clock.advance(25_000)
      ;({ result } = await held)
      responses = {}
    }
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        type: 'approval_required',
        approvalUrl: 'https://agents.example.com/approvals/apr-81',
        next: 'Call the tool again after the decision.',
      },
    })
    expect(JSON.stringify(result)).not.toContain(token)
  })

  test.each(['decline', 'cancel'])('ends with %s, and nothing is withdrawn', async (action) => {
    const { gateway } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    const { result } = await retry(gateway, first.requestState, { approval: { action } })
    expect(result).toMatchObject({ isError: true, structuredContent: { type: 'approval_required' } })
    expect(gateway.sent).toHaveLength(2)
  })

  test('is not looked at again after its client has gone', async () => {
    const { gateway } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    const gone = new AbortController()
    const params = { requestState: first.requestState, inputResponses: accept }
    const answer = call(gateway, given, { capabilities, params, signal: gone.signal })
    await gateway.clock.advance(1500)
    const before = gateway.sent.length
    gone.abort()
    await answer
    expect(gateway.sent).toHaveLength(before)
  })

  test('shows the link again if the client did not answer', async () => {
    const { gateway } = approving()
    const { result: first } = await call(gateway, given, { capabilities })
    const { result } = await retry(gateway, first.requestState)
    expect(result.inputRequests).toEqual(first.inputRequests)
  })

  test('that is decided already is used at once, by every client', async () => {
    const { gateway } = approving('approved')
    const { result } = await call(gateway, given)
    expect(result.structuredContent).toMatchObject({ paid: 500 })
  })

  test('that is always decided and always followed by another one ends', async () => {
    const gateway = scriptedGateway({
      answer(request, count) {
        if (request.path.startsWith('/approvals/')) return { type: 'success', body: { state: 'approved' } }
        return { ...approvalAnswer(request, token), headers: { Location: `/approvals/${count}` } }
      },
    })
    expect((await call(gateway, given)).result.isError).toBe(true)
    expect(gateway.sent.length).toBeLessThan(30)
  })

  test('is an error with the link for clients without links', async () => {
    const { gateway } = approving()
    const { result } = await call(gateway, given, { capabilities: { elicitation: {} } })
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'APPROVAL_REQUIRED',
        approvalUrl: 'https://agents.example.com/approvals/apr-81',
      },
    })
    expect(result.structuredContent).not.toHaveProperty('approvalToken')
  })

  test('elsewhere is not read', async () => {
    const gateway = scriptedGateway({
      answer: (request) => ({
        ...approvalAnswer(request, token),
        headers: { Location: 'https://evil.example.com/approvals/1' },
      }),
    })
    const { result } = await call(gateway, given, { capabilities })
    expect(result).toMatchObject({ isError: true })
    expect(gateway.sent).toHaveLength(1)
    expect(JSON.stringify(result)).not.toContain(token)
  })
})

test('no answer contains an approval token, at any depth', async () => {
  const body = { type: 'success', nested: [{ approvalToken: token }], text: 'a' }
  const gateway = scriptedGateway({
    answer: () => ({ status: 200, headers: {}, body: JSON.stringify(body) }),
  })
  const { result } = await call(gateway, given)
  expect(result.structuredContent).toEqual({ type: 'success', nested: [{}], text: 'a' })
  expect(JSON.stringify(result)).not.toContain(token)
})
