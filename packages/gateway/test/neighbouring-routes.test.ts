import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { openConnection } from './harness/raw-connection.ts'

async function start() {
  const upstream = await startUpstream(({ url }, response) => answerJson(response, { body: { url } }))
  const { port, metrics } = await startGateway({
    routes: [
      { id: 'read', method: 'GET', path: '/items/{id}', target: upstream.url },
      { id: 'export', method: 'GET', path: '/items/export', target: upstream.url },
      { id: 'remove', method: 'DELETE', path: '/items/{id}', target: upstream.url },
      { id: 'act', method: 'POST', path: '/items/{id}/{action}', target: upstream.url },
      { id: 'generate', method: 'POST', path: '/items/{id}/assets:generate', target: upstream.url },
    ],
  })
  const ask = async (request: string) => {
    const { send, response } = await openConnection(port)
    send(`${request} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\nContent-Length: 0\r\n\r\n`)
    return await response({ bodyless: request.startsWith('HEAD') })
  }
  return { ask, upstream, metrics }
}

describe('a path parameter', () => {
  it.each([
    ['GET /items/EXPORT', 'read'],
    ['GET /items/Export/', 'read'],
    ['GET /items/export;x', 'read'],
    ['GET /items/EXPORT%3Bx', 'read'],
    ['HEAD /items/EXPORT', 'read'],
    ['POST /items/1/assets%3Agenerate', 'act'],
    ['POST /items/1/Assets:Generate', 'act'],
  ])('does not stand for a neighbour: %s', async (request, route) => {
    const { ask, upstream, metrics } = await start()
    const answer = await ask(request)
    expect(answer.status).toBe(422)
    if (!request.startsWith('HEAD'))
      expect(JSON.parse(answer.body)).toMatchObject({
        type: 'validation_failed',
        code: 'VALIDATION_FAILED',
        errors: [
          {
            field: 'path',
            message:
              'must not have a parameter value that names another route in other case or before a semicolon',
          },
        ],
      })
    expect(upstream.requests).toEqual([])
    expect(await metrics()).toContain(
      `agentic_requests_total{route="${route}",outcome="validation_failed",tenant_id=""} 1`,
    )
  })

  it.each([
    'GET /items/export',
    'GET /items/exports',
    'GET /items/x;export',
    'DELETE /items/EXPORT',
    'POST /items/EXPORT/archive',
    'POST /items/1/assets:generate',
  ])('has any other value: %s', async (request) => {
    const { ask, upstream } = await start()
    expect((await ask(request)).status).toBe(200)
    expect(upstream.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([request])
  })
})
