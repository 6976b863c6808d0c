import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { commands } from '../src/commands.ts'
import { type GoldenCase, goldenCases, processNames } from './golden/cases.ts'
import {
  goldenFiles as files,
  goldenFolder as folder,
  goldenFile,
  steady,
  transcript,
} from './golden/transcript.ts'
import { answerApprovals } from './harness/approvals-service.ts'
import { answerWithOutcome } from './harness/outcome-service.ts'
import { folderWith } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'
import { answerUsage } from './harness/usage-listener.ts'

/**
 * The output of every command, as files in `golden/`. After an intended change, write them again with
 * `npx vitest run packages/cli/test/golden.test.ts -u` and review the difference.
 */
const helps = commands.map(({ name }): GoldenCase => ({ name: `help-${name}`, args: [name, '--help'] }))
const cases = [...helps, ...goldenCases]

test.each(cases)('$name', async ({ name, args, calls, approves, asksAdmin, writes, ...options }) => {
  const service = approves ? answerApprovals : answerWithOutcome
  const address = calls || approves ? ['--base-url', (await startServer(service)).url] : []
  const adminUrl = asksAdmin ? (await startServer(answerUsage)).url : undefined
  const admin = adminUrl === undefined ? [] : ['--admin', adminUrl]
  const cwd = writes === undefined ? files : copyOfFiles()
  const ended = await runHere([...args, ...address, ...admin], { cwd, ...options })
  const written = writes === undefined ? '' : filesIn(join(cwd, writes))
  const text = steady(`${transcript(args, ended)}${written}`).replaceAll(adminUrl ?? '<admin>', '<admin>')
  await expect(text).toMatchFileSnapshot(goldenFile(name))
})

function copyOfFiles(): string {
  const copy = folderWith({})
  cpSync(files, copy, { recursive: true })
  return copy
}

// The schema of the configuration is a generated file of the gateway.
const known = ['gateway.schema.json']

function filesIn(place: string): string {
  if (!existsSync(place)) return ''
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !known.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `--- file ${relative(place, file)}\n${readFileSync(file, 'utf8')}`)
    .join('')
}

test('every file has its case', () => {
  const known = new Set([...cases.map(({ name }) => name), ...processNames].map((name) => `${name}.txt`))
  expect(readdirSync(folder).filter((file) => file.endsWith('.txt') && !known.has(file))).toEqual([])
  expect(known.size).toBe(cases.length + processNames.length)
})
