import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { type Outcome, writeOutcome } from '@agentic-rest/profile'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)

/** A service with the operations that the suite calls by name. */
async function startFixtureService() {
  return await startUpstream(({ url, headers }, response) => {
    if (url === '/progress') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.end('data: 1\n\ndata: 2\n\ndata: 3\n\n')
      return
    }
    const trace = {
      correlationId: String(headers['x-correlation-id']),
      requestId: String(headers['x-request-id']),
    }
    const written = writeOutcome(outcomes[url] ?? { type: 'success', body: 'A simple text.' }, trace)
    response.writeHead(written.status, { ...written.headers }).end(written.body)
  })
}

const outcomes: Readonly<Record<string, Outcome>> = {
  '/error': { type: 'error', code: 'BROKEN', message: 'The tool failed.' },
  '/elicitation': {
    type: 'clarification_required',
    message: 'More input is needed.',
    requiredInputs: [
      { name: 'name', location: 'body', type: 'string', required: true, question: 'What is your name?' },
    ],
  },
}

/** The suite has no option for headers: a proxy in front adds the tenant. */
async function startTenantProxy(url: string): Promise<string> {
  const { url: proxyUrl } = await startServer((request, response) => {
    const headers = { ...request.headers, 'x-tenant-id': 'acme' }
    const { method } = request
    const forwarded = httpRequest(url + request.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  })
  return proxyUrl
}

async function startFixtureGateway(): Promise<string> {
  const { url: target } = await startFixtureService()
  const mcp = { input: 'none', description: 'A fixture of the suite.' }
  const routeOf = (id: string, path: string) => ({ id, method: 'POST', path, target, mcp })
  const streamed = { mode: 'sse', executionTimeoutSeconds: 10, mcp: { ...mcp, stream: 'events' } }
  const { url } = await startGateway({
    mcp: {},
    routes: [
      routeOf('test_simple_text', '/text'),
      routeOf('test_error_handling', '/error'),
      routeOf('test_streaming_elicitation', '/elicitation'),
      routeOf('test_logging_tool', '/log'),
      { ...routeOf('test_tool_with_progress', '/progress'), ...streamed },
    ],
  })
  return `${await startTenantProxy(url)}/mcp`
}

// A tool of a gateway refuses no client for a missing capability: a question that cannot be asked is a result.
const withoutNotion: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
  ],
}

test.each([
  ['tools-list', '2025-11-25'],
  ['tools-call-simple-text', '2025-11-25'],
  ['tools-call-error', '2025-11-25'],
  ['tools-call-with-progress', '2025-11-25'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['server-sse-multiple-streams', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['tools-call-simple-text', '2026-07-28'],
  ['tools-call-error', '2026-07-28'],
  ['tools-call-with-progress', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['server-stateless', '2026-07-28'],
  ['server-sse-multiple-streams', '2026-07-28'],
  ['dns-rebinding-protection', '2026-07-28'],
])('a running gateway passes %s of %s in the official suite', async (scenario, version) => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-mcp-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const url = await startFixtureGateway()
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', version]
  const child = spawn(process.execPath, [suite, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const [colored, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  const output = stripVTControlCharacters(colored)
  const expected = withoutNotion[scenario] ?? []
  const failed = [...output.matchAll(/\[([\w-]+) *\] FAILURE /g)].map(([, check]) => check)
  expect(failed, output + errors).toEqual(expected)
  expect(code, output + errors).toBe(expected.length === 0 ? 0 : 1)
  expect(output).toMatch(new RegExp(`Passed: [1-9]\\d*/\\d+, ${expected.length} failed`))
})
