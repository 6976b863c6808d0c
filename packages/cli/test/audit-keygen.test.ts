import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createNoteSigner } from '@agentic-rest/audit-log'
import { expect, test } from 'vitest'
import { folderWith } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

test('keygen writes a key that only its owner reads, and prints its verifier key', async () => {
  const cwd = folderWith({})
  const key = join(cwd, 'key.pem')
  const args = ['audit', 'keygen', '--name', 'agents.example.com/audit/7f3c', '-o', key]
  const { code, stdout } = await runHere(args, { cwd })
  expect(code).toBe(0)
  expect(statSync(key).mode & 0o777).toBe(0o600)
  const pem = readFileSync(key, 'utf8')
  expect(stdout).toBe(`${createNoteSigner('agents.example.com/audit/7f3c', pem).verifierKey}\n`)
  expect(stdout).toMatch(/^agents\.example\.com\/audit\/7f3c\+[0-9a-f]{8}\+A/)
  const again = await runHere(args, { cwd })
  expect([again.code, again.stdout]).toEqual([2, ''])
  expect(again.stderr).toBe(`agentic audit keygen: ${key} exists and is not overwritten\n`)
  expect(readFileSync(key, 'utf8')).toBe(pem)
})
