import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { created, createService, defineOperation } from '@agentic-rest/service'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { goldenFiles } from '../packages/cli/test/golden/transcript.ts'
import { repositoryRoot, run } from '../tools/packed-packages.ts'

const agentic = join(repositoryRoot, 'packages/cli/bin/agentic.cjs')

/** Writes a project from a document and installs the packages of this repository into it. */
function initFrom(document: string): string {
  const work = mkdtempSync(join(tmpdir(), 'agentic-from-'))
  onTestFinished(() => rmSync(work, { recursive: true, force: true }))
  const folder = join(work, 'project')
  const args = [agentic, 'init', folder, '--from', document, '--packages', 'registry']
  expect(run(process.execPath, args, work)).toMatchObject({ status: 0 })
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Types, tests, configuration and people of a project are right as they were written. */
function expectSound(folder: string): void {
  const tsc = join(repositoryRoot, 'node_modules/.bin/tsc')
  expect(run(tsc, ['--customConditions', 'agentic-source', '--pretty', 'false'], folder)).toEqual({
    status: 0,
    output: '',
  })
  const options = [
    '--conditions=agentic-source',
    '--test',
    '--test-isolation=none',
    'test/operations.test.ts',
  ]
  const tests = run(process.execPath, options, folder)
  expect(tests.status, tests.output).toBe(0)
  expect(run(process.execPath, [agentic, 'check', 'gateway.yaml', '--strict'], folder)).toEqual({
    status: 0,
    output: 'gateway.yaml is valid\n',
  })
}

test('a project from a foreign document compiles and passes its tests', () => {
  expectSound(initFrom(join(goldenFiles, 'shop.openapi.yaml')))
})

test('a project from a document of the SDK has the operations, rules and routes of its service', () => {
  const pay = defineOperation({
    id: 'pay',
    method: 'POST',
    path: '/accounts/{accountId}/days/{day}/payments',
    input: z.object({
      accountId: z.string().regex(/^a-\d+$/),
      // Two patterns become `allOf` in a document.
      code: z
        .string()
        .regex(/^[a-z]+/)
        .regex(/[a-z]$/),
      day: z.string().max(20),
      amount: z.number().gt(0).lte(10_000),
      currency: z.enum(['EUR', 'USD']).default('EUR'),
      note: z.string().max(140).optional(),
    }),
    outcomes: ['created'],
    idempotent: true,
    approval: { role: 'treasurer', when: () => false },
    run: ({ input }) => created(input),
  })
  const audit = defineOperation({
    id: 'audit',
    method: 'POST',
    path: '/audits',
    input: z.object({ year: z.int().min(2000).describe('Which year?') }),
    outcomes: ['created'],
    async: true,
    run: ({ input }) => created(input),
  })
  const service = createService({ operations: [pay, audit], store: { memory: true } })
  onTestFinished(() => service.close())
  const place = mkdtempSync(join(tmpdir(), 'agentic-document-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const document = join(place, 'openapi.json')
  writeFileSync(document, JSON.stringify(service.openapi()))
  const folder = initFrom(document)
  expectSound(folder)
  // The written operations describe themselves as the first ones did: nothing was lost on the way.
  const program = `
    import { createService } from '@agentic-rest/service'
    import { operations } from './src/operations.ts'
    const service = createService({ operations, store: { memory: true } })
    console.log(JSON.stringify(service.openapi().paths))
    await service.close()`
  writeFileSync(join(folder, 'describe.ts'), program)
  const described = run(process.execPath, ['--conditions=agentic-source', 'describe.ts'], folder)
  expect(described.status, described.output).toBe(0)
  const paths = JSON.parse(described.output)
  expect(requestsOf(paths)).toEqual(requestsOf(JSON.parse(JSON.stringify(service.openapi()['paths']))))
  expect(Object.keys(paths).toSorted()).toEqual(Object.keys(service.openapi()['paths'] as object).toSorted())
  expect(existsSync(join(folder, 'people.yaml'))).toBe(true)
  const routes = run(process.execPath, [agentic, 'routes', 'gateway.yaml', '--json'], folder)
  const listed = JSON.parse(routes.output).routes.map(({ path }: { path: string }) => path)
  expect(listed.toSorted()).toEqual(Object.keys(paths).toSorted())
})

type Described = Record<string, Record<string, Record<string, unknown>>>

/** The parts of a document about requests. */
function requestsOf(paths: Described): object {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.entries(item).map(([method, operation]) => [
        method,
        operation['operationId'],
        operation['x-agentic'],
        operation['parameters'],
        operation['requestBody'],
      ]),
    ]),
  )
}
