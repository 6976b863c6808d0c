import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { readVersion } from '../version.ts'
import { gatewayFile } from './gateway-file.ts'
import { InitError, mapOf, type OpenApi, readOpenApi } from './openapi.ts'
import { exampleOperation, exampleSource, operationsSource } from './operations-source.ts'
import { type OperationPlan, planOperations } from './plan-operations.ts'
import { readmeFile } from './readme-file.ts'
import { scenarioFile } from './scenario-file.ts'
import { testSource } from './test-source.ts'

interface Written {
  readonly files: readonly string[]
  /** Parts of the document that were left out. */
  readonly notes: readonly string[]
}

/** Writes a project into an empty or new folder, or throws an `InitError`. */
export function writeProject(folder: string, from: string | undefined): Written {
  refuseFull(folder)
  const { files, notes } = planProject(nameFor(folder), from)
  for (const [path, text] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    // A file created in the meantime is not replaced.
    writeFileSync(file, text, { flag: 'wx' })
  }
  return { files: [...files.keys()], notes }
}

function refuseFull(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw new InitError(`${folder} is not a folder that can be read`)
  }
  throw new InitError(`${folder} is not empty: name an empty folder or a new one`)
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

/** A valid npm name for the folder. */
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

/** The program that serves the operations. */
const mainSource = `import { createService, jsonLinesAudit } from '@agentic-rest/service'
import { serve } from '@agentic-rest/service/node'
import { operations } from './operations.ts'

// Only the gateway may reach this service. It checks the token and names the caller in headers, which the service trusts.
const service = createService({ operations, title: 'My agent', audit: jsonLinesAudit(process.stdout) })
const { port } = await serve({ fetch: service.fetch, port: process.env['SERVICE_PORT'] ?? 8081, closes: [service] })
console.error(\`The service listens at http://127.0.0.1:\${port}\`)
`

interface PackageFacts {
  readonly name: string
  /** The version of the command; its packages have the same. */
  readonly version: string
}

// The version of zod in the tests of these packages.
const ZOD_VERSION = '4.6.7'

/** The package.json of a project. */
function packageFile({ name, version }: PackageFacts): string {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    description: 'An agent behind a gateway. Supports Agentic Profile v0.3.',
    type: 'module',
    engines: { node: '>=24' },
    scripts: {
      start: 'node src/main.ts',
      test: 'node --test',
      check: 'agentic check gateway.yaml --strict',
      conformance: 'agentic conformance http://127.0.0.1:8080 --scenario conformance.yaml',
    },
    dependencies: { '@agentic-rest/service': version, zod: ZOD_VERSION },
    devDependencies: { 'agentic-rest': version },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

const ignoreFile = 'node_modules\n.agentic\n'
