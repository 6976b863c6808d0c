import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '@agentic-rest/testing/programs'
import { testUnless } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { startReferenceTools } from './reference-tools.ts'

const claude = findOnPath('claude')
// Nobody but its maker may distribute it, so `npm run test:setup` does not install it.
const reason = claude === undefined ? 'claude is missing; install Claude Code' : undefined

testUnless(reason, 'claude mcp list connects with a token', async () => {
  const tools = await startReferenceTools()
  const home = mkdtempSync(join(tmpdir(), 'agentic-mcp-'))
  onTestFinished(async () => {
    await tools.close()
    rmSync(home, { recursive: true, force: true })
  })
  const env = { PATH: process.env['PATH'], HOME: home }
  const run = (...args: string[]) => promisify(execFile)(claude ?? '', ['mcp', ...args], { cwd: home, env })
  const header = `Authorization: Bearer ${tools.tokenOf('alice')}`
  await run('add', '--transport', 'http', 'open', tools.url)
  await run('add', '--transport', 'http', 'campaigns', tools.url, '--header', header)
  const { stdout: listed } = await run('list')
  expect(listed).toMatch(/^campaigns: .*Connected$/m)
  expect(listed).toMatch(/^open: .*Needs authentication$/m)
})
