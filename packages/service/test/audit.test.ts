import { PassThrough, Writable } from 'node:stream'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, error, forbidden, jsonLinesAudit, success } from '../src/index.ts'
import { ask } from './harness/ask.ts'

const operation = defineOperation({
  id: 'create-optimization',
  method: 'POST',
  path: '/campaigns/{campaignId}/optimizations/{optimizationId}',
  input: z.object({ goal: z.string() }),
  run: ({ input, audit }) => {
    if (input.goal === 'forbidden') return forbidden({ code: 'NO', message: 'm' })
    if (input.goal === 'unknown') return error({ condition: 'not_found', code: 'NOT_FOUND', message: 'm' })
    if (input.goal === 'throw') throw new Error('thrown')
    if (input.goal === 'detail') {
      audit.set({ resource_id: 'opt-9', attributes: { goal: 'ctr' } })
      audit.set({ attributes: { model: 'm1', status: 'not this one' } })
      audit.emit({ event_type: 'model.asked', outcome: 'success', attributes: { tokens: '17' } })
    }
    return success({})
  },
})

const path = '/campaigns/cmp-1/optimizations/opt-1'
const written = {
  event_type: 'agentic.response.written',
  tenant_id: 'acme',
  actor_id: 'alice',
  request_id: 'req-1',
  correlation_id: 'corr-1',
  operation: 'create-optimization',
  resource_id: 'opt-1',
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
}

describe('a record is written with every answer', () => {
  it.each([
    [{ goal: 'x' }, 'success', '200'],
    [{}, 'clarification_required', '400'],
    [{ goal: 1 }, 'validation_failed', '422'],
    [{ goal: 'forbidden' }, 'forbidden', '403'],
    [{ goal: 'throw' }, 'error', '500'],
    [{ goal: 'unknown' }, 'error', '404'],
  ])('%j is recorded as %s with the status %s', async (json, outcome, status) => {
    const { url, audit } = await startService({ operations: [operation] })
    expect((await ask(url + path, { json })).status).toBe(Number(status))
    expect(audit).toEqual([{ ...written, outcome, attributes: { status, token_sub: 'alice' } }])
  })

  it('with what the operation sets, after what it writes itself', async () => {
    const { url, audit } = await startService({ operations: [operation] })
    await ask(url + path, { json: { goal: 'detail' }, headers: { 'x-actor-principal': 'Alice A.' } })
    const own = { ...written, actor_id: 'Alice A.', resource_id: 'opt-9' }
    expect(audit).toEqual([
      {
        ...own,
        event_type: 'model.asked',
        outcome: 'success',
        attributes: { tokens: '17', token_sub: 'alice' },
      },
      {
        ...own,
        outcome: 'success',
        attributes: { goal: 'ctr', model: 'm1', status: '200', token_sub: 'alice' },
      },
    ])
  })

  it('also without a tenant, but not without an operation', async () => {
    const { url, audit } = await startService({ operations: [operation] })
    await ask(url + path, { json: {}, headers: { 'x-tenant-id': undefined } })
    await ask(`${url}/nothing`)
    await ask(`${url}/openapi.json`)
    const attributes = { status: '403' }
    expect(audit).toEqual([{ ...written, tenant_id: '', actor_id: '', outcome: 'forbidden', attributes }])
  })
})

describe('an emitter that fails does not fail the request', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ])('when it %s', async (_title, emit) => {
    const { url, log } = await startService({ operations: [operation], audit: { emit } })
    expect((await ask(url + path, { json: { goal: 'x' } })).status).toBe(200)
    expect(log).toEqual([
      {
        level: 'warn',
        message: 'an audit record was lost',
        fields: {
          correlationId: 'corr-1',
          requestId: 'req-1',
          event_type: 'agentic.response.written',
          cause: new Error('full'),
        },
      },
    ])
  })

  it('when it never ends', async () => {
    const audit = { emit: () => new Promise<void>(() => undefined) }
    const { url } = await startService({ operations: [operation], audit })
    expect((await ask(url + path, { json: { goal: 'x' } })).status).toBe(200)
  })
})

describe('JSON lines', () => {
  it('are written one per record', async () => {
    const sink = new PassThrough()
    const { url } = await startService({ operations: [operation], audit: jsonLinesAudit(sink) })
    await ask(url + path, { json: { goal: 'x' } })
    await ask(url + path, { json: {} })
    const lines = String(sink.read()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...written, outcome: 'success', attributes: { status: '200', token_sub: 'alice' } },
      { ...written, outcome: 'clarification_required', attributes: { status: '400', token_sub: 'alice' } },
    ])
  })

  it('to a broken pipe are lost, said to be, and end nothing', async () => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    const { url, log } = await startService({ operations: [operation], audit: jsonLinesAudit(sink) })
    expect((await ask(url + path, { json: { goal: 'x' } })).status).toBe(200)
    expect((await ask(url + path, { json: { goal: 'x' } })).status).toBe(200)
    expect(log.map(({ message }) => message)).toEqual([
      'an audit record was lost',
      'an audit record was lost',
    ])
  })

  it('to a reader that stalls are held up to 8 MiB and then lost', async () => {
    const sink = new Writable({ highWaterMark: 1, write: () => undefined })
    sink.write('x'.repeat(8 * 1024 * 1024 + 1))
    const { url, log } = await startService({ operations: [operation], audit: jsonLinesAudit(sink) })
    expect((await ask(url + path, { json: { goal: 'x' } })).status).toBe(200)
    expect(log[0]?.fields['cause']).toEqual(new Error('the reader of the audit records has stalled'))
  })
})
