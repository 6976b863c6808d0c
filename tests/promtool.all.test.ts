import { spawnSync } from 'node:child_process'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'

const promtool = 'promtool'

function judge(path: string, scrape: string) {
  const { status, stdout, stderr } = spawnSync(path, ['check', 'metrics'], {
    input: scrape,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const clean = { status: 0, stdout: '', stderr: '' }

testWith(promtool, 'promtool has nothing to say about the first scrape', async (path) => {
  const { metrics } = await startGateway({ routes: [] })
  const scrape = await metrics()
  expect(scrape).toContain('# TYPE agentic_requests_total counter')
  expect(judge(path, scrape)).toEqual(clean)
})

testWith(
  promtool,
  'promtool has nothing to say about a scrape after requests, streams and odd route ids',
  async (path) => {
    const upstream = await startUpstream((_request, response) =>
      answerJson(response, { body: '{"stream":false}' }),
    )
    const { url, metrics, audit } = await startGateway({
      gateway: { llm: { max_sse_connections_per_tenant: 1 } },
      routes: [
        { id: 'read', method: 'GET', path: '/items/{id}', target: upstream.url, mode: 'sse' },
        { id: 'write "quoted" \\ name', method: 'POST', path: '/items', target: upstream.url },
      ],
    })
    const headers = { 'X-Tenant-ID': 'acme', Accept: 'text/event-stream' }
    await (await fetch(`${url}/items/1`, { headers })).text()
    const upload = { 'X-Tenant-ID': 'acme', 'Content-Type': 'image/png' }
    await (await fetch(`${url}/items`, { method: 'POST', headers: upload, body: 'x' })).text()
    await (await fetch(`${url}/nowhere`)).text()
    await expect.poll(() => audit.length).toBe(2)
    const scrape = await metrics()
    expect(scrape).toContain('agentic_requests_total{route="unmatched",outcome="not_found",tenant_id=""} 1')
    expect(judge(path, scrape)).toEqual(clean)
  },
)

testWith(promtool, 'promtool does complain about a bad scrape', (path) => {
  const { status, stderr } = judge(path, '# TYPE requests counter\nrequests 1\n')
  expect(status).not.toBe(0)
  expect(stderr).toContain('requests')
})
