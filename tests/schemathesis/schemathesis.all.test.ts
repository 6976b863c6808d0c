import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { programPath } from '@agentic-rest/testing/programs'
import { describeWith } from '@agentic-rest/testing/test-with'
import { beforeAll, expect, test } from 'vitest'
import { repositoryRoot, run } from '../../tools/packed-packages.ts'
import { type DocumentedStack, useDocumentedStack } from '../documented-stack.ts'

const seed = process.env['SEED'] ?? ''
// Enough for every rule of the documents; more examples find nothing new and take minutes.
const MAX_EXAMPLES = 10

/** Services of the reference stack: the address of the document, and of the gateway in front. */
const services = [
  ['campaigns', 'http://127.0.0.1:8081', 'http://127.0.0.1:8080'],
  ['recommendations', 'http://127.0.0.1:8082', 'http://127.0.0.1:8080'],
  ['inventory', 'http://127.0.0.1:8083', 'http://127.0.0.1:8180'],
] as const

describeWith('schemathesis', 'Schemathesis', () => {
  let stack: DocumentedStack | undefined
  let token = ''

  beforeAll(async () => {
    stack = await useDocumentedStack()
    const issued = run('sh', ['-c', stack.adapt('npx agentic token')], repositoryRoot)
    expect(issued).toMatchObject({ status: 0 })
    token = issued.output.trim()
  })

  test.concurrent.each(services)('finds no failure in %s', async (_name, service, gateway) => {
    const adapt = (address: string) => stack?.adapt(address) ?? address
    const { status, output } = await runSchemathesis([
      `${adapt(service)}/openapi.json`,
      ...['--url', adapt(gateway), '--header', `Authorization: Bearer ${token}`],
      ...['--phases', 'examples,coverage,fuzzing,stateful', '--seed', seed],
      ...['--max-examples', String(MAX_EXAMPLES), '--no-color'],
    ])
    expect({ status, output }, `seed ${seed}\n${output}`).toMatchObject({ status: 0 })
    expect(output).toMatch(/\d+ generated, \d+ passed/)
  })
})

async function runSchemathesis(args: readonly string[]) {
  // It keeps findings in the current folder.
  const cwd = mkdtempSync(join(tmpdir(), 'agentic-schemathesis-'))
  const config = join(import.meta.dirname, 'schemathesis.toml')
  const child = spawn(programPath('schemathesis'), ['--config-file', config, 'run', ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
  rmSync(cwd, { recursive: true, force: true })
  return { status: Number(status), output }
}
