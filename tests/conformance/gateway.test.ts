import type { IncomingMessage } from 'node:http'
import { type Report, runConformance, type ScenarioInput } from '@agentic-rest/conformance'
import { readTrace, type Trace, writeOutcome } from '@agentic-rest/profile'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, onTestFinished, test } from 'vitest'

const paths = ['/right', '/traceless', '/mismatched', '/garbled'] as const

/** The answers of an upstream without correct traces. */
function carelessBody({ url, headers }: IncomingMessage) {
  const { correlationId = '', requestId = '' } = readTrace(headers)
  if (url === '/right')
    return writeOutcome({ type: 'success', body: { id: 1 } }, { correlationId, requestId })
  const others: Trace = { correlationId: 'of another', requestId: 'of another' }
  const written = writeOutcome({ type: 'conflict', code: 'BUSY', message: 'Busy.' }, others)
  const { trace: _, ...rest } = JSON.parse(written.body)
  const body =
    { '/traceless': JSON.stringify(rest), '/garbled': 'not json at all' }[url ?? ''] ?? written.body
  return { ...written, body }
}

const get = (path: (typeof paths)[number]) => ({ request: { method: 'GET', path } as const })

/** Asks the real gateway in front of such an upstream. */
async function ask(more: ScenarioInput): Promise<Report> {
  const { url: target } = await startServer((request, response) => {
    const { status, headers, body } = carelessBody(request)
    response.writeHead(status, headers).end(body)
  })
  const issuer = await startIssuer('ES256')
  onTestFinished(() => issuer.close())
  const { url } = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['ES256'] },
        ],
      },
    },
    routes: paths.map((path) => ({ id: path.slice(1), method: 'GET', path, target })),
  })
  return await runConformance({
    baseUrl: url,
    scenario: {
      tokens: { alice: { env: 'TOKEN' } },
      token: 'alice',
      tenant: 'acme',
      foreignTenant: 'globex',
      outcomes: { success: get('/right') },
      ...more,
    },
    env: { TOKEN: await issuer.token({ claims: { sub: 'alice', aud: 'agentic', tenant_id: 'acme' } }) },
  })
}

test('the gateway lets no body through that has no trace, or that of another', async () => {
  const { rows, problems } = await ask({
    tracelessUpstream: get('/traceless'),
    mismatchedUpstream: get('/mismatched'),
  })
  expect(problems).toEqual([])
  expect(rows.filter(({ result }) => result === 'fail')).toEqual([])
  const seen = rows.filter(({ observation, result }) => /-upstream$/.test(observation) && result === 'pass')
  expect(new Set(seen.map(({ rule }) => rule))).toEqual(
    new Set([
      ...['json-bodies', 'trace-present', 'trace-correlation-id', 'trace-request-id', 'traceless-upstream'],
      ...['mismatched-upstream', 'profile-header', 'body-schema', 'error-type'],
    ]),
  )
})

test('a body that is no JSON becomes an error of the gateway, and access needs a signature', async () => {
  const { rows } = await ask({ tracelessUpstream: get('/garbled') })
  expect(rows.filter(({ result }) => result === 'fail')).toEqual([])
  const passed = rows.filter(({ result }) => result === 'pass').map(({ observation }) => observation)
  for (const place of [
    'traceless-upstream',
    'token.missing',
    'token.invalid',
    'token.forged',
    'tenant.foreign',
    'metrics',
  ])
    expect(passed).toContain(place)
})
