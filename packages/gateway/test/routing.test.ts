import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

/** A gateway whose routes, each named by its method and path, all go to one upstream. */
async function start(ids: readonly string[]) {
  const upstream = await startUpstream(({ url }, response) => answerJson(response, { body: { url } }))
  const { port, audit, metrics } = await startGateway({
    routes: ids.map((id) => {
      const [method, path] = id.split(' ')
      return { id, method, path, target: upstream.url }
    }),
  })
  const ask = async (request: string) => {
    const { send, response } = await openConnection(port)
    send(`${request} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n`)
    return await response({ bodyless: request.startsWith('HEAD') })
  }
  /** The route that a request took, by its audit record. */
  const routeOf = async (request: string) => {
    const before = audit.length
    expect((await ask(request)).status).toBe(200)
    await expect.poll(() => audit.length).toBe(before + 1)
    return { route: audit[before]?.['operation'], resource: audit[before]?.['resource_id'] }
  }
  return { ask, routeOf, upstream, metrics }
}

const campaigns = [
  'GET /campaigns/{id}',
  'GET /campaigns/active',
  'GET /campaigns/{id}/assets',
  'POST /campaigns/{id}/assets:generate',
  'POST /campaigns/{id}/{action}',
  'DELETE /campaigns/{id}',
]

describe('a request', () => {
  it.each([
    ['GET /campaigns/c-1', 'GET /campaigns/{id}', 'c-1'],
    ['GET /campaigns/c-1/', 'GET /campaigns/{id}', 'c-1'],
    ['GET /campaigns/active', 'GET /campaigns/active', ''],
    ['GET /campaigns/actives', 'GET /campaigns/{id}', 'actives'],
    ['GET /campaigns/active/assets', 'GET /campaigns/{id}/assets', 'active'],
    ['POST /campaigns/c-1/assets:generate', 'POST /campaigns/{id}/assets:generate', 'c-1'],
    ['POST /campaigns/c-1/archive', 'POST /campaigns/{id}/{action}', 'archive'],
    ['DELETE /campaigns/active', 'DELETE /campaigns/{id}', 'active'],
    ['HEAD /campaigns/c-1', 'GET /campaigns/{id}', 'c-1'],
  ])('%s takes the route %s', async (request, route, resource) => {
    const { routeOf } = await start(campaigns)
    expect(await routeOf(request)).toEqual({ route, resource })
  })

  it('with HEAD reaches the upstream as HEAD and has no body', async () => {
    const { ask, upstream } = await start(campaigns)
    const answer = await ask('HEAD /campaigns/c-1')
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
    expect(upstream.requests.map(({ method }) => method)).toEqual(['HEAD'])
  })

  it.each([
    'GET /',
    'GET /campaigns',
    'GET /Campaigns/c-1',
    'GET /campaigns/a/b/c',
    'GET /campaigns/c-1/assets/x',
    'GET /__proto__',
    'GET /constructor',
    'PURGE /nowhere',
  ])('%s finds no route: 404', async (request) => {
    const { ask, upstream, metrics } = await start(campaigns)
    expectRefusal(await ask(request), 404, 'ROUTE_NOT_FOUND')
    expect(upstream.requests).toHaveLength(0)
    expect(await metrics()).toContain(
      'agentic_requests_total{route="unmatched",outcome="not_found",tenant_id=""} 1',
    )
  })

  it.each([
    ['PUT /campaigns/c-1', 'GET, DELETE, HEAD'],
    ['PATCH /campaigns/active', 'GET, DELETE, HEAD'],
    ['GET /campaigns/c-1/assets:generate', 'POST'],
    ['HEAD /campaigns/c-1/archive', 'POST'],
    ['OPTIONS /campaigns/c-1', 'GET, DELETE, HEAD'],
    ['PURGE /campaigns/c-1', 'GET, DELETE, HEAD'],
  ])('%s finds a path but not its method: 405 with Allow', async (request, allow) => {
    const { ask, upstream, metrics } = await start(campaigns)
    const answer = await ask(request)
    if (request.startsWith('HEAD')) expect(answer.status).toBe(405)
    else expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(headerValues(answer, 'allow')).toEqual([allow])
    expect(upstream.requests).toHaveLength(0)
    expect(await metrics()).toContain(
      'agentic_requests_total{route="unmatched",outcome="method_not_allowed",tenant_id=""} 1',
    )
  })

  it('is told neither 404 nor 405 before its head is in order', async () => {
    const { ask } = await start(campaigns)
    expect((await ask('GET /none/%00')).status).toBe(422)
  })
})

describe('path parameters with names that every object has', () => {
  it('are ordinary parameters', async () => {
    const { routeOf } = await start(['GET /a/{__proto__}', 'GET /b/{constructor}'])
    expect(await routeOf('GET /a/x%20y')).toEqual({ route: 'GET /a/{__proto__}', resource: 'x y' })
    expect(await routeOf('GET /b/z')).toEqual({ route: 'GET /b/{constructor}', resource: 'z' })
  })
})
