import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import { wrongScenario, wrongTokens } from '../../packages/conformance/test/wrong-service/scenario.ts'
import { startWrongService, type Wrongs } from '../../packages/conformance/test/wrong-service.ts'

const noTrace: Wrongs = {
  at: 'conflict',
  change(reply) {
    delete reply.body.trace
  },
}

/** A folder with a scenario, a service, and `agentic conformance` in it. */
async function setUp(wrongs: Wrongs = {}, files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-conformance-'))
  const service = await startWrongService(wrongs)
  onTestFinished(() => {
    service.close()
    rmSync(folder, { recursive: true })
  })
  const { outcomes, token, tenant, tokens } = wrongScenario
  const scenario = stringify({ outcomes, token, tenant, tokens })
  for (const [name, text] of Object.entries({ 'conformance.yaml': scenario, ...files }))
    writeFileSync(join(folder, name), text)
  const env = { ...wrongTokens, TOKEN: wrongTokens.ALICE }
  return {
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    run: (...args: string[]) => runHere(['conformance', service.url, ...args], { cwd: folder, env }),
    init: (...args: string[]) => runHere(['conformance', 'init', ...args], { cwd: folder }),
  }
}

test('a service that keeps the profile ends it with 0, by the scenario of the folder', async () => {
  const { run } = await setUp()
  const { code, stdout, stderr } = await run()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/\n10 of 10 outcomes observed\n66 rules: \d+ passed, 0 failed, \d+ not observed\n$/)
  expect((await run('--strict')).code).toBe(1)
})

test('a service that does not ends it with 1', async () => {
  const { run } = await setUp(noTrace)
  const { code, stdout } = await run('--only', 'trace-present', '--only', 'row-conflict')
  expect(code).toBe(1)
  expect(stdout).toContain('conflict: expected a trace with correlationId and requestId, got no trace\n')
  expect(stdout).toContain('\n2 rules: 1 passed, 1 failed, 0 not observed\n')
})

test('listed failures are expected, and an outdated list fails', async () => {
  const { run } = await setUp(noTrace, { 'known.txt': 'trace-present conflict\nrow-error\n' })
  const { code, stdout } = await run('--expected-failures', 'known.txt')
  expect(code).toBe(0)
  expect(stdout).toContain('; 1 failed as expected; 1 passed and were expected to fail\n')
})

test('reports go to stdout and to files, and a badge beside them', async () => {
  const { run, read } = await setUp()
  const only = ['--only', 'row-conflict']
  const json = await run(...only, '--report', 'json')
  expect(JSON.parse(json.stdout).rows).toMatchObject([
    { rule: 'row-conflict', outcome: 'conflict', result: 'pass' },
  ])
  const { stdout } = await run(...only, '--report=junit=r.xml', '--report', 'html=r.html', '--badge', 'b.svg')
  expect(stdout).toContain('1 rule: 1 passed')
  expect(read('r.xml')).toContain('<testsuites ')
  expect(read('r.html')).toContain('<!doctype html>')
  expect(read('b.svg')).toContain('<svg ')
  await run(...only, '--report', 'md', '-o', 'r.md')
  expect(read('r.md')).toContain('# Agentic profile v0.3 at ')
  const unwritten = await run(...only, '--report', 'json=no/such/folder.json')
  expect(unwritten).toMatchObject({ code: 2, stderr: 'no/such/folder.json cannot be written\n' })
})

test('a scenario that cannot be carried out ends it with 2, though nothing failed', async () => {
  const request = { method: 'GET', path: '/items/1' }
  const scenario = stringify({
    tokens: { me: { env: 'NOT_SET' } },
    token: 'me',
    outcomes: { success: { request } },
  })
  const { run } = await setUp({}, { 'other.yaml': scenario })
  const { code, stdout } = await run('--scenario', 'other.yaml')
  expect(code).toBe(2)
  expect(stdout).toContain(
    'problem outcomes.success: the token me cannot be read from its env (tokens.me.env)\n',
  )
  expect(stdout).toContain('\n0 of 10 outcomes observed\n')
})

test.each(['', 'target: service\n', 'packages: [package.json]\n'])(
  'a scenario that shows nothing of the service ends it with 2: %j',
  async (text) => {
    const manifest = '{ "description": "Supports Agentic Profile v0.3" }'
    const { run } = await setUp({}, { 'empty.yaml': text, 'package.json': manifest })
    const { code, stdout } = await run('--scenario', 'empty.yaml')
    expect(code).toBe(2)
    expect(stdout).toContain('  problem nothing of the service was observed: ')
  },
)

test('an invalid address in an answer is a failure and does not stop the run', async () => {
  const { run } = await setUp({
    at: 'accepted',
    change(reply) {
      reply.body.statusUrl = 'http://['
    },
  })
  const { code, stdout, stderr } = await run('--only', 'status-url-path', '--only', 'status-url-answers')
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toContain('accepted: expected an address whose path ends with /op-1/status, got http://[\n')
})

test('init writes a scenario that can be run', async () => {
  const openapi = JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/items/{id}': {
        get: {
          parameters: [{ in: 'path', name: 'id', example: 1 }],
          responses: { 200: { content: { 'application/json': {} } } },
        },
      },
      '/goals': { post: { requestBody: { content: {} }, responses: { 400: {} } } },
    },
  })
  const { run, read, init } = await setUp({}, { 'openapi.json': openapi })
  const { code, stdout } = await init('openapi.json', '-o', 'mine.yaml')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      'mine.yaml is written: read it, fill the gaps, then run\nnpx agentic conformance URL --scenario mine.yaml\n',
  })
  expect(read('mine.yaml')).toContain('path: /items/1\n')
  const ran = await run(
    '--scenario',
    'mine.yaml',
    '--only',
    'row-success',
    '--only',
    'row-clarification-required',
  )
  expect(ran.stdout).toContain('\n2 of 10 outcomes observed\n2 rules: 2 passed, 0 failed, 0 not observed\n')
  expect(ran.code).toBe(0)
})
