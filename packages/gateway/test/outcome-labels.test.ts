import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, it } from 'vitest'
import { startTypedPair, type UpstreamReply } from './harness/typed-upstream.ts'

const VENDOR = 'application/vnd.agentic.error+json'
const typed = (status: number, type = 'error'): UpstreamReply => ({
  status,
  type: VENDOR,
  body: { type, code: 'X', message: 'm', trace: ids },
})
const untyped = (status: number, type = 'application/json'): UpstreamReply => ({ status, type, body: {} })

/** All series of the request counter, as `outcome` and value. */
function outcomesIn(scrape: string): string[] {
  const pattern = /^agentic_requests_total\{route="GET",outcome="([^"]*)",tenant_id="acme"\} (\d+)$/gm
  return [...scrape.matchAll(pattern)].map(([, outcome, value]) => `${outcome} ${value}`)
}

describe('an answer of the upstream counts as', () => {
  it.each<[string, string, UpstreamReply]>([
    ['unauthenticated', '401 with the generic error body', typed(401)],
    ['not_found', '404 with the generic error body', typed(404)],
    ['method_not_allowed', '405 with the generic error body', typed(405)],
    ['too_large', '413 with the generic error body', typed(413)],
    ['limit_exceeded', '429 with the generic error body', typed(429)],
    ['unavailable', '503 with the generic error body', typed(503)],
    ['untyped_4xx', '401 without a type', untyped(401)],
    ['untyped_4xx', '404 without a type', untyped(404)],
    ['untyped_4xx', '405 without a type', untyped(405)],
    ['untyped_4xx', '413 without a type', untyped(413)],
    ['untyped_4xx', '429 without a type', untyped(429)],
    ['untyped_5xx', '503 without a type', untyped(503)],
    ['untyped_4xx', '418 with the generic error body', typed(418)],
    ['untyped_5xx', '502 with the generic error body', typed(502)],
    ['success', '200 with JSON', untyped(200)],
    ['untyped_2xx', '200 with HTML', untyped(200, 'text/html')],
    ['untyped_2xx', '200 with a typed body', typed(200)],
    ['created', '201 with JSON', untyped(201)],
    ['untyped_2xx', '202 with JSON', untyped(202)],
    ['untyped_2xx', '204', { status: 204, body: '' }],
    ['untyped_3xx', '302', untyped(302)],
    ['untyped_3xx', '304', { status: 304, body: '' }],
    ['untyped_4xx', '400 with JSON', untyped(400)],
    ['untyped_4xx', '403 with JSON', untyped(403)],
    ['forbidden', '403 with the generic error body', typed(403, 'forbidden')],
    ['error', '500 with the generic error body', typed(500)],
    ['untyped_5xx', '500 with JSON', untyped(500)],
    ['untyped_5xx', '999, which is no status of HTTP', untyped(999)],
  ])('%s: %s', async (label, _title, reply) => {
    const pair = await startTypedPair()
    pair.next = reply
    expect((await sendRequest(`${pair.url}/r`)).status).toBe(reply.status)
    expect(outcomesIn(await pair.metrics())).toEqual([`${label} 1`])
    const isType = ['success', 'created', 'forbidden', 'error'].includes(label)
    const status = reply.status ?? 0
    expect(pair.audit).toMatchObject([{ outcome: status >= 200 && status < 300 ? 'success' : 'error' }])
    const [{ attributes } = {}] = pair.audit as { attributes?: Record<string, string> }[]
    expect(attributes?.['outcome_type']).toBe(isType ? label : undefined)
  })
})
