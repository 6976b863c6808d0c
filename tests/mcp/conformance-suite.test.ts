import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixtureHost } from './fixture-host.ts'
import { type McpServer, startMcpServer } from './http-server.ts'

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)

let server: McpServer
const results = mkdtempSync(join(tmpdir(), 'agentic-mcp-suite-'))

beforeAll(async () => {
  server = await startMcpServer({ host: () => createFixtureHost(() => server.toolsChanged()) })
})

afterAll(async () => {
  await server.stop()
  rmSync(results, { recursive: true, force: true })
})

/** Runs the official suite against the server; its exit code is 0 if exactly the expected scenarios fail. */
async function runSuite(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(
    process.execPath,
    [suite, 'server', '--url', server.url, '--timeout', '120000', ...args],
    {
      cwd: results,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, output: output + errors }
}

const passed = (output: string) => [...output.matchAll(/^✓ ([\w-]+): /gm)].map(([, name]) => name)

describe('the official conformance suite on the protocol layer', () => {
  test.each([
    ['2026-07-28', 24],
    ['2025-11-25', 16],
  ])('the required scenarios of %s pass, except those with a reason', async (revision, count) => {
    const baseline = join(import.meta.dirname, `expected-failures-${revision}.yaml`)
    const { code, output } = await runSuite('--requirements', revision, '--expected-failures', baseline)
    expect(code, output).toBe(0)
    expect(passed(output).length, output).toBeGreaterThanOrEqual(count)
    expect(server.errors).toEqual([])
  })

  // These are optional for the suite and required here.
  test.each([
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
    'http-header-validation',
  ])('%s passes', async (scenario) => {
    const { code, output } = await runSuite('--scenario', scenario, '--spec-version', '2026-07-28')
    expect(code, output).toBe(0)
  })
})
