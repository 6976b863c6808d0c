import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

const baselineOf = (revision: string) => join(import.meta.dirname, `expected-failures-${revision}.yaml`)
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name)

describe('the official conformance suite on the protocol layer', () => {
  test.each([
    // 24 and 16 of them are required; the suite fails if another required one does.
    ['2026-07-28', 37],
    ['2025-11-25', 18],
  ])('the scenarios of %s pass, except those with a reason', async (revision, count) => {
    const baseline = baselineOf(revision)
    const { code, output } = await runSuite('--requirements', revision, '--expected-failures', baseline)
    expect(code, output).toBe(0)
    const expected = namesIn(readFileSync(baseline, 'utf8'), /^ {2}- ([\w-]+)$/gm)
    expect(expected).toEqual(expect.arrayContaining(namesIn(output, /^✗ ([\w-]+): /gm)))
    const passed = namesIn(output, /^✓ ([\w-]+): /gm)
    expect(passed, output).toHaveLength(count)
    if (revision === '2026-07-28') expect(passed).toEqual(expect.arrayContaining(optional))
    expect(server.errors).toEqual([])
  })

  test.each(['2026-07-28', '2025-11-25'])(
    'every expected failure of %s has a reason of its own',
    (revision) => {
      const [, ...lines] = readFileSync(baselineOf(revision), 'utf8').trimEnd().split('\n')
      expect(lines.shift()).toBe('server:')
      for (const [index, line] of lines.entries())
        expect(line).toMatch(index % 2 === 0 ? /^ {2}# \w.{20,}\.$/ : /^ {2}- [\w-]+$/)
    },
  )
})

// The suite does not require these.
const optional = [
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
  'json-schema-2020-12',
]
