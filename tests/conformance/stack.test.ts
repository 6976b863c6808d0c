import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { startStack, urlOf } from '@agentic-rest/stack'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'

const scenario = join(import.meta.dirname, '../../examples/stack/conformance.yaml')

let stack: Awaited<ReturnType<typeof startStack>> | undefined
let portBase: number

// A temporary folder of its own, to see what the stack leaves there.
const temporary = mkdtempSync(join(tmpdir(), 'agentic-conformance-'))

beforeAll(async () => {
  vi.stubEnv('TMPDIR', temporary)
  portBase = await freePortBase()
  stack = await startStack({ portBase, env: process.env, output: new PassThrough().resume() })
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await stack?.stop()
  rmSync(temporary, { recursive: true })
})

const byAddress = () => ({
  args: [urlOf('gateway', portBase)],
  env: {
    IDENTITY_URL: urlOf('identity', portBase),
    INVENTORY_GATEWAY_URL: urlOf('inventory-gateway', portBase),
  },
})
const byPortBase = () => ({ args: ['--port-base', String(portBase)], env: {} })

// The second run finds the data of the first.
test.each([
  ['its address', byAddress],
  ['its port base', byPortBase],
])('the stack, found by %s, keeps the profile and shows all ten outcomes', async (_, place) => {
  const { args, env } = place()
  const { code, stdout, stderr } = await runHere(
    ['conformance', ...args, '--scenario', scenario, '--report', 'json'],
    { env },
  )
  const report = JSON.parse(stdout)
  const failed = report.rows.filter(({ result }: { result: string }) => result === 'fail')
  expect({ failed, problems: report.problems, stderr }).toEqual({ failed: [], problems: [], stderr: '' })
  expect(report.outcomes).toEqual({ observed: 10, total: 10, notObserved: [] })
  const passed = new Set(
    report.rows
      .filter(({ result }: { result: string }) => result === 'pass')
      .map(({ rule }: { rule: string }) => rule),
  )
  const rules: string[] = [...new Set<string>(report.rows.map(({ rule }: { rule: string }) => rule))]
  expect(rules.filter((rule) => !passed.has(rule))).toEqual([])
  expect(code).toBe(0)
})

test('a stack without a data folder has its keys in a temporary one, and leaves none behind', async () => {
  const keyFolders = () => readdirSync(temporary).filter((name) => name.startsWith('agentic-keys-'))
  expect(keyFolders()).toHaveLength(1)
  await stack?.stop()
  expect(keyFolders()).toEqual([])
})
