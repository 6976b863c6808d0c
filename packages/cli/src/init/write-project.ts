import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { readVersion } from '../version.ts'
import { exampleOperation } from './example-operation.ts'
import { gatewayFile } from './gateway-file.ts'
import { InitError } from './init-error.ts'
import { mapOf } from './json-shape.ts'
import { exampleSource, operationsSource } from './operations-source.ts'
import { type OperationPlan, planOperations } from './plan-operations.ts'
import { ignoreFile, mainSource, packageFile } from './project-files.ts'
import { type OpenApi, readOpenApi } from './read-openapi.ts'
import { readmeFile } from './readme-file.ts'
import { scenarioFile } from './scenario-file.ts'
import { testSource } from './test-source.ts'

/** What was written. */
export interface Written {
  readonly files: readonly string[]
  /** What of the document could not be taken over. */
  readonly notes: readonly string[]
}

/** Writes a project into a folder that is empty or not there yet, or throws an `InitError`. */
export function writeProject(folder: string, from: string | undefined): Written {
  refuseFull(folder)
  const { files, notes } = planProject(nameFor(folder), from)
  for (const [path, text] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    // A file that came in the meantime is not ours to replace.
    writeFileSync(file, text, { flag: 'wx' })
  }
  return { files: [...files.keys()], notes }
}

function refuseFull(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw new InitError(`${folder} is no folder that can be written to`)
  }
  throw new InitError(`${folder} is not empty: name a folder that is, or one that does not exist yet`)
}

function planProject(
  name: string,
  from: string | undefined,
): { files: Map<string, string>; notes: readonly string[] } {
  const api = from === undefined ? undefined : readOpenApi(from)
  const plan: OperationPlan =
    api === undefined ? { operations: [exampleOperation], notes: [] } : planOperations(api)
  const { operations } = plan
  const lookup: Pick<OpenApi, 'follow'> = api ?? { follow: mapOf }
  const files = new Map([
    ['package.json', packageFile({ name, version: readVersion() })],
    ['.gitignore', ignoreFile],
    ['README.md', readmeFile({ name, operations, api: lookup })],
    ['gateway.yaml', gatewayFile(operations)],
    ['gateway.schema.json', schemaText()],
    ['conformance.yaml', scenarioFile(operations, lookup)],
    ['src/operations.ts', api === undefined ? exampleSource : operationsSource(operations, api)],
    ['src/main.ts', mainSource],
    ['test/operations.test.ts', testSource(operations, lookup)],
  ])
  return { files, notes: plan.notes }
}

/** What npm takes for a name. */
function nameFor(folder: string): string {
  const plain = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
  return plain.replaceAll(/^-+|-+$/g, '').slice(0, 100) || 'my-agent'
}

function schemaText(): string {
  return readFileSync(
    createRequire(import.meta.url).resolve('@agentic-rest/gateway/gateway.schema.json'),
    'utf8',
  )
}
