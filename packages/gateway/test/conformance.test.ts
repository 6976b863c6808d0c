import { metricValue } from '@agentic-rest/testing/metric-value'
import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, it } from 'vitest'
import { expectOwnHeaders, expectRefusal } from './harness/expect-refusal.ts'
import { startTypedPair, type TypedPair, type UpstreamReply } from './harness/typed-upstream.ts'

const vendor = (name: string) => `application/vnd.agentic.${name}+json`
const JSON_TYPE = 'application/json'
const error = (type: string, more: object = {}) => ({ type, code: 'X', message: 'm', ...more, trace: ids })
const input = { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which goal?' }

/** The normative table, spelled out once more so that a slip in the code cannot hide in the test. */
const rows = [
  { type: 'success', status: 200, mediaType: JSON_TYPE, body: { id: 'o-1' } },
  { type: 'created', status: 201, mediaType: JSON_TYPE, body: { id: 'o-1' } },
  {
    type: 'accepted',
    status: 202,
    mediaType: vendor('operation'),
    body: {
      type: 'operation_accepted',
      operationId: 'op-1',
      statusUrl: '/operations/op-1/status',
      trace: ids,
    },
  },
  {
    type: 'clarification_required',
    status: 400,
    mediaType: vendor('clarification'),
    body: {
      type: 'clarification_required',
      code: 'CLARIFICATION_REQUIRED',
      message: 'm',
      requiredInputs: [input],
      trace: ids,
    },
  },
  {
    type: 'validation_failed',
    status: 422,
    mediaType: vendor('validation-error'),
    body: { type: 'validation_failed', code: 'VALIDATION_FAILED', message: 'm', errors: [], trace: ids },
  },
  {
    type: 'approval_required',
    status: 412,
    mediaType: vendor('approval-required'),
    body: {
      type: 'approval_required',
      code: 'APPROVAL_REQUIRED',
      message: 'm',
      approvalToken: 't',
      trace: ids,
    },
  },
  { type: 'forbidden', status: 403, mediaType: vendor('error'), body: error('forbidden') },
  { type: 'conflict', status: 409, mediaType: vendor('conflict'), body: error('conflict') },
  { type: 'failed_dependency', status: 424, mediaType: vendor('error'), body: error('failed_dependency') },
  { type: 'error', status: 500, mediaType: vendor('error'), body: error('error') },
] as const

const send = (pair: TypedPair, reply: UpstreamReply) => {
  pair.next = reply
  return sendRequest(`${pair.url}/r`)
}

const violations = async ({ metrics }: TypedPair, rule: string) =>
  metricValue(await metrics(), 'agentic_profile_violations_total', { route: 'GET', rule })

/** The answer is exactly what the upstream sent. */
async function expectPassed(pair: TypedPair, reply: UpstreamReply): Promise<void> {
  const answer = await send(pair, reply)
  expect({ status: answer.status, body: JSON.parse(answer.body.toString()) }).toEqual({
    status: reply.status,
    body: reply.body,
  })
  expect(answer.headers['content-type']).toBe(reply.type)
  expectOwnHeaders(answer)
}

describe.each(rows)('a $type', ({ type, status, mediaType, body }) => {
  it('passes as the table says, and counts as that outcome', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    await expectPassed(pair, { status, type: mediaType, body })
    await expectPassed(pair, { status, type: `${mediaType}; charset=utf-8`, body })
    const scrape = await pair.metrics()
    expect(metricValue(scrape, 'agentic_requests_total', { route: 'GET', outcome: type })).toBe(2)
    expect(scrape).not.toMatch(/agentic_profile_violations_total\{/)
    const outcome = status < 300 ? 'success' : 'error'
    expect(pair.audit).toMatchObject([{ outcome, attributes: { outcome_type: type } }, { outcome }])
    expect(pair.audit[0]).not.toHaveProperty('attributes.profile_violations')
  })

  const otherTypes = [...new Set([...rows.map((row) => row.mediaType), 'text/html', vendor('unknown')])]
  it.each(otherTypes.filter((name) => name !== mediaType))('is refused with media type %s', async (other) => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    const answer = await send(pair, { status, type: other, body: { ...body, trace: ids } })
    expectRefusal(answer, 500, 'PROFILE_VIOLATION')
    expect(await violations(pair, 'media_type')).toBe(1)
    const labels = { route: 'GET', outcome: 'error' }
    expect(metricValue(await pair.metrics(), 'agentic_requests_total', labels)).toBe(1)
    expect(pair.audit).toMatchObject([
      { outcome: 'error', attributes: { outcome_type: 'error', profile_violations: 'media_type' } },
    ])
  })

  it('is refused without a media type', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    expectRefusal(await send(pair, { status, body }), 500, 'PROFILE_VIOLATION')
    expect(await violations(pair, 'media_type')).toBe(1)
  })
})

describe.each(rows.filter(({ mediaType }) => mediaType !== JSON_TYPE))(
  'the body of a $type',
  ({ status, mediaType, body }) => {
    it.each(rows.filter((row) => row.status !== status && row.status >= 202))(
      'is refused with the status of a $type',
      async ({ status: other, mediaType: otherMediaType }) => {
        const pair = await startTypedPair({ conformance: 'enforce' })
        const answer = await send(pair, { status: other, type: mediaType, body })
        expectRefusal(answer, 500, 'PROFILE_VIOLATION')
        const rule = otherMediaType === mediaType ? 'schema.const' : 'media_type'
        expect(await violations(pair, rule)).toBe(1)
      },
    )
  },
)

describe('a status outside the ten', () => {
  it.each([203, 206, 302, 401, 404, 405, 413, 418, 429, 451, 501, 502, 503, 504, 599])(
    '%d passes untyped, whatever it carries',
    async (status) => {
      const pair = await startTypedPair({ conformance: 'enforce' })
      for (const type of ['text/html', 'application/problem+json', JSON_TYPE])
        await expectPassed(pair, { status, type, body: { any: 'thing' } })
      expect(await pair.metrics()).not.toMatch(/agentic_profile_violations_total\{/)
    },
  )

  it.each([401, 404, 405, 413, 429, 503])(
    '%d passes with a generic error body of type error',
    async (status) => {
      const pair = await startTypedPair({ conformance: 'enforce' })
      await expectPassed(pair, { status, type: vendor('error'), body: error('error') })
      for (const type of ['forbidden', 'failed_dependency']) {
        const reply = { status, type: vendor('error'), body: error(type) }
        expectRefusal(await send(pair, reply), 500, 'PROFILE_VIOLATION')
      }
      expect(await violations(pair, 'schema.const')).toBe(2)
    },
  )

  it.each([203, 302, 418, 502, 504, 599])('%d passes with any generic error body', async (status) => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    for (const type of ['error', 'forbidden', 'failed_dependency'])
      await expectPassed(pair, { status, type: vendor('error'), body: error(type) })
    expect(await pair.metrics()).not.toMatch(/agentic_profile_violations_total\{/)
  })

  it.each([404, 418, 503])('%d is refused with another typed body, valid as it may be', async (status) => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    for (const { mediaType, body } of rows.slice(2)) {
      if (mediaType === vendor('error')) continue
      expectRefusal(await send(pair, { status, type: mediaType, body }), 500, 'PROFILE_VIOLATION')
    }
    expect(await violations(pair, 'media_type')).toBe(5)
  })

  it('may carry retryAfter with 429 and with no other', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    const body = error('error', { retryAfter: 5 })
    await expectPassed(pair, { status: 429, type: vendor('error'), body })
    for (const status of [500, 503, 404, 418])
      expectRefusal(await send(pair, { status, type: vendor('error'), body }), 500, 'PROFILE_VIOLATION')
    expect(await violations(pair, 'retry_after')).toBe(4)
  })

  it('is refused with a generic error body that is not valid', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    for (const status of [404, 418]) {
      const reply = { status, type: vendor('error'), body: error('error', { extra: 1 }) }
      expectRefusal(await send(pair, reply), 500, 'PROFILE_VIOLATION')
    }
    expect(await violations(pair, 'schema.additionalProperties')).toBe(2)
  })
})

describe('conformance: report, the default', () => {
  it('passes what breaks the profile, counts each rule once per answer and puts it into the audit record', async () => {
    const pair = await startTypedPair()
    await expectPassed(pair, { status: 200, type: 'text/html', body: { any: 'thing' } })
    const body = { type: 'nonsense', code: 7, message: 1, requiredInputs: [], extra: 1, trace: ids }
    await expectPassed(pair, { status: 400, type: vendor('clarification'), body })
    await expectPassed(pair, { status: 200, type: JSON_TYPE, body: { fine: true } })
    expect(await violations(pair, 'media_type')).toBe(1)
    for (const rule of ['const', 'type', 'minItems', 'additionalProperties'])
      expect(await violations(pair, `schema.${rule}`)).toBe(1)
    const reported = pair.audit.map(({ outcome, attributes }) => ({
      outcome,
      rules: (attributes as Record<string, string>)['profile_violations']?.split(',').toSorted(),
    }))
    expect(reported).toEqual([
      { outcome: 'success', rules: ['media_type'] },
      {
        outcome: 'error',
        rules: ['schema.additionalProperties', 'schema.const', 'schema.minItems', 'schema.type'],
      },
      { outcome: 'success', rules: undefined },
    ])
  })

  it('counts per route', async () => {
    const pair = await startTypedPair()
    pair.next = { status: 200, type: 'text/html', body: 'x' }
    await sendRequest(`${pair.url}/r`)
    await sendRequest(`${pair.url}/r`, { method: 'POST' })
    await sendRequest(`${pair.url}/r`, { method: 'POST' })
    const scrape = await pair.metrics()
    const count = (route: string) =>
      metricValue(scrape, 'agentic_profile_violations_total', { route, rule: 'media_type' })
    expect([count('GET'), count('POST')]).toEqual([1, 2])
  })
})

describe('conformance: off', () => {
  it('passes what breaks the profile without a word, but never a wrong trace', async () => {
    const pair = await startTypedPair({ conformance: 'off' })
    await expectPassed(pair, { status: 200, type: 'text/html', body: { any: 'thing' } })
    await expectPassed(pair, { status: 400, type: vendor('clarification'), body: { trace: ids } })
    expect(await pair.metrics()).not.toMatch(/agentic_profile_violations_total\{/)
    for (const { attributes } of pair.audit) expect(attributes).not.toHaveProperty('profile_violations')
    const reply = { status: 400, type: vendor('clarification'), body: {} }
    expectRefusal(await send(pair, reply), 500, 'TRACE_MISSING')
  })
})

describe('conformance: enforce', () => {
  it('keeps nothing of the answer that it refuses', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    const answer = await send(pair, {
      status: 200,
      type: 'text/html',
      headers: ['Set-Cookie', 'secret=1', 'X-Internal', 'secret', 'ETag', '"secret"'],
      body: '<h1>secret</h1>',
    })
    expectRefusal(answer, 500, 'PROFILE_VIOLATION')
    expect(answer.rawHeaders.join() + answer.body.toString()).not.toContain('secret')
  })

  it('ends the upstream of an answer that it refuses for its head, and frees its place', async () => {
    const pair = await startTypedPair(
      { conformance: 'enforce' },
      { gateway: { limits: { max_upstream_connections_per_origin: 1, max_upstream_queue_per_origin: 0 } } },
    )
    for (let round = 0; round < 3; round += 1) {
      const answer = await send(pair, { status: 200, type: 'text/html', body: 'x'.repeat(5_000_000) })
      expectRefusal(answer, 500, 'PROFILE_VIOLATION')
    }
  })

  it('judges HEAD by status and media type alone', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    pair.next = { status: 403, type: vendor('error'), body: '' }
    expect((await sendRequest(`${pair.url}/r`, { method: 'HEAD' })).status).toBe(403)
    pair.next = { status: 403, type: 'text/html', body: '' }
    const answer = await sendRequest(`${pair.url}/r`, { method: 'HEAD' })
    expect(answer).toMatchObject({ status: 500, body: Buffer.alloc(0) })
    expect(answer.headers['content-type']).toBe(vendor('error'))
  })
})
