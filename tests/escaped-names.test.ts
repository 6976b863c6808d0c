import { createClient } from '@agentic-rest/client'
import { parseOwnJson } from '@agentic-rest/profile'
import { created, defineOperation, success } from '@agentic-rest/service'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { startService } from '@agentic-rest/testing/start-service'
import { startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

// V8 takes a name with an escape for one that it saw after the same names before, if both are spelled alike at their start
// (docs/decisions/0045-reading-json.md). Each test has its own first name: V8 must not know others after it.
const raw = String.raw

const store = sharedStore()

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/payments',
  input: z.object({
    betrag: z.int(),
    währung: z.string().default('EUR'),
    summe: z.int().optional(),
    dryRun: z.boolean().default(false),
  }),
  run: ({ input }) => success({ ...input }),
})

/** The inputs of each attempt of a transfer; the first attempt fails when the test says so. */
const attempts: object[] = []
const failure = Promise.withResolvers<never>()

const transfer = defineOperation({
  id: 'transfer',
  method: 'POST',
  path: '/transfers',
  input: z.object({ amounts: z.record(z.string(), z.unknown()) }),
  async: true,
  idempotent: true,
  approval: { role: 'finance', when: () => ({ message: 'Much.', approver: { name: 'Finance' } }) },
  async run({ input: { amounts }, commit }) {
    attempts.push({ ...amounts })
    if (attempts.length === 1) await failure.promise
    return await commit(async () => created({ done: true }))
  },
})

/** A service behind a gateway, called by people of two tenants. */
async function startBank() {
  const runtime = { operations: { pollMilliseconds: 20, backoffSeconds: 0.01 } }
  const { url: target } = await startService({ operations: [pay, transfer], store, runtime })
  const issuer = await startIssuer('RS256')
  onTestFinished(() => issuer.close())
  const paths = [
    ['POST', '/payments'],
    ['POST', '/transfers'],
    ['GET', '/operations/{operationId}/status'],
    ['GET', '/approvals/{approvalId}'],
    ['POST', '/approvals/{approvalId}/approve'],
  ] as const
  const trusted = {
    issuer: issuer.url,
    jwks_uri: issuer.jwksUri,
    audience: ['agentic'],
    algorithms: ['RS256'],
  }
  const gateway = await startGateway({
    plugins: { 'token-validator': { issuers: [trusted] } },
    routes: paths.map(([method, path]) => ({
      id: `${method} ${path}`.replaceAll(/\W+/g, '-').toLowerCase(),
      method,
      path,
      target,
      conformance: 'enforce',
    })),
  })
  const post = async (who: string, path: string, body: string, more: Record<string, string> = {}) => {
    const [sub, tenant_id] = who.split('@')
    const token = await issuer.token({ claims: { sub, aud: 'agentic', tenant_id, roles: ['finance'] } })
    const response = await fetch(`${gateway.url}${path}`, {
      method: body === '' ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...more },
      ...(body !== '' && { body }),
    })
    const { trace: _, ...members } = Object(parseOwnJson(await response.text()))
    return { status: response.status, headers: response.headers, body: members }
  }
  return { post }
}

describe('through gateway and service, a name with an escape is read as it is meant', () => {
  it('after a request of another tenant', async () => {
    const { post } = await startBank()
    await post('eve@globex', '/payments', raw`{"betrag":1,"w\\u00e4":"x"}`)
    const paid = await post('alice@acme', '/payments', raw`{"betrag":100000,"w\u00e4hrung":"JPY"}`)
    expect(paid).toMatchObject({ status: 200, body: { betrag: 100_000, währung: 'JPY' } })
  })

  it('also dryRun', async () => {
    const { post } = await startBank()
    await post('eve@globex', '/payments', raw`{"summe":1,"\\u0064":1,"betrag":2}`)
    const paid = await post('alice@acme', '/payments', raw`{"summe":1,"\u0064ryRun":true,"betrag":2}`)
    expect(paid).toMatchObject({ status: 200, body: { betrag: 2, dryRun: true } })
  })

  it('when an approved request is stored and run again', async () => {
    const { post } = await startBank()
    const wanted = raw`{"amounts":{"konto":1,"\"x":100}}`
    const key = { 'Idempotency-Key': 'k-1', Prefer: 'respond-async' }
    const asked = await post('alice@acme', '/transfers', wanted, key)
    expect(asked).toMatchObject({ status: 412, body: { type: 'approval_required' } })
    const location = new URL(asked.headers.get('location') ?? '', 'http://gateway').pathname
    expect(await post('bob@acme', `${location}/approve`, '{}')).toMatchObject({ status: 200 })
    const token = { 'X-Approval-Token': asked.body.approvalToken }
    const accepted = await post('alice@acme', '/transfers', wanted, { ...key, ...token })
    expect(accepted.status).toBe(202)
    await expect.poll(() => attempts.length).toBe(1)
    // A text instead of a number makes V8 forget which names it saw after `konto`.
    await post('eve@globex', '/transfers', raw`{"amounts":{"konto":"1","\\\"":1}}`)
    failure.reject(new Error('the first attempt fails'))
    const status = async () => (await post('alice@acme', accepted.body.statusUrl, '')).body
    await expect.poll(status).toMatchObject({ status: 'completed', result: { done: true } })
    const approved = { konto: 1, '"x': 100 }
    expect(attempts).toEqual([approved, approved])
    // Those who decide see the stored request too.
    const shown = await post('bob@acme', location, '')
    expect(shown.body.request.inputs).toEqual({ body: { amounts: approved } })
  })
})

/** A service whose answers to globex make V8 expect a name; the others have a name that is spelled alike at its start. */
function startPrices(first: string) {
  return startUpstream((request, response) => {
    const name = request.headers['x-tenant-id'] === 'globex' ? raw`w\\u00e4` : raw`w\u00e4hrung`
    const trace = JSON.stringify(traceOf(request))
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(`{"${first}":1,"${name}":"JPY","trace":${trace}}`)
  })
}

it('the client reads answers as they are meant', async () => {
  const { url: baseUrl } = await startPrices('preis')
  for (const tenantId of ['globex', 'acme']) {
    const client = createClient({ baseUrl, token: 'a.b.c', tenantId })
    const outcome = await client.request({ method: 'GET', path: '/prices' })
    const name = tenantId === 'acme' ? 'währung' : raw`w\u00e4`
    expect(outcome).toMatchObject({ type: 'success', body: { preis: 1, [name]: 'JPY' } })
  }
})

it('an MCP call has the arguments and the result that are meant', async () => {
  const { url: target, requests } = await startPrices('kosten')
  const tool = { input: 'none', description: 'Pays.' }
  const { url } = await startGateway({
    mcp: {},
    routes: [{ id: 'pay', method: 'POST', path: '/payments', target, mcp: tool }],
  })
  const call = async (tenant: string, sent: string) => {
    const _meta = JSON.stringify({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    })
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'X-Tenant-ID': tenant,
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'pay',
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":${sent},"_meta":${_meta}}}`,
    })
    const line = (await response.text()).trim().split('\n').at(-1) ?? ''
    return JSON.parse(line.replace(/^data: /, ''))
  }
  await call('globex', raw`{"wert":1,"\\\"":1}`)
  const answer = await call('acme', raw`{"wert":1,"\"x":"JPY"}`)
  expect(answer).toMatchObject({ result: { structuredContent: { kosten: 1, währung: 'JPY' } } })
  expect(String(requests.at(-1)?.body)).toBe(raw`{"wert":1,"\"x":"JPY"}`)
})
