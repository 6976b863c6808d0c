import type { OpenApi } from './openapi.ts'
import { operationsSource } from './operations-source.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { sampleRequest } from './sample-request.ts'
import { scenarioFile } from './scenario-file.ts'
import { slice } from './template.ts'
import { testSource } from './test-source.ts'

/** The parts of a project whose operations come from a document. */
export interface DocumentProject {
  readonly name: string
  readonly template: ReadonlyMap<string, string>
  readonly operations: readonly PlannedOperation[]
  readonly api: OpenApi
  /** Takes a note about each part of the document that is left out. */
  readonly note: (text: string) => void
}

// Files of the template that fit every project.
const common = ['.gitignore', '.npmrc', 'tsconfig.json', 'src/main.ts', 'test/send.ts']

/** The files of a project for the operations of an OpenAPI document. */
export function documentFiles(project: DocumentProject): Map<string, string> {
  const { template, operations, api, note } = project
  const of = (path: string) => template.get(path) ?? ''
  return new Map([
    ...common.map((path) => [path, of(path)] as const),
    ['README.md', readmeFile(project)],
    ['gateway.yaml', gatewayFile(of('gateway.yaml'), operations)],
    ['people.yaml', peopleFile(of('people.yaml'), operations)],
    ['conformance.yaml', scenarioFile(of('conformance.yaml'), operations, api)],
    ['src/operations.ts', operationsSource(operations, { api, note })],
    ['test/operations.test.ts', testSource(operations, api)],
  ])
}

const BACKGROUND = '\n  # Background work.'
const APPROVALS = '\n  # Approvals.'

/** The template's gateway with the routes of these operations, and those that the SDK serves for them. */
function gatewayFile(template: string, operations: readonly PlannedOperation[]): string {
  const head = slice(template, { to: '  # Answers a question' })
  const isAsync = operations.some((operation) => operation.async)
  const hasApproval = operations.some(({ approvalRole }) => approvalRole !== undefined)
  return [
    head,
    ...operations.map(routeText),
    ...(isAsync ? [slice(template, { from: BACKGROUND, to: APPROVALS })] : []),
    ...(hasApproval ? [slice(template, { from: APPROVALS })] : []),
  ].join('')
}

function routeText({ id, method, path, summary, streams }: PlannedOperation): string {
  const remark = summary === undefined ? '' : `  # ${summary.replaceAll(/[\s\p{C}]+/gu, ' ')}\n`
  return `${remark}  - id: ${JSON.stringify(id)}
    method: ${method}
    path: ${JSON.stringify(path)}
    target: http://127.0.0.1:\${SERVICE_PORT:-8081}
    executionTimeoutSeconds: 30
    conformance: enforce
    forwardAuthorization: false
${streams ? '    mode: sse\n' : ''}`
}

const ROLE = /^(?! )[\x20-\x2B\x2D-\x7E]+(?<! )$/

/** The template's people; dave may approve. */
function peopleFile(template: string, operations: readonly PlannedOperation[]): string {
  // Other roles cannot travel in a header; people.yaml refuses them.
  const roles = new Set(operations.flatMap(({ approvalRole = '' }) => approvalRole.match(ROLE) ?? []))
  return `${slice(template, { to: '  - {' })}  - { name: alice, tenant: acme, roles: [] }
  - { name: bob, tenant: acme, roles: [] }
  - { name: dave, tenant: acme, roles: [${[...roles].map((role) => JSON.stringify(role)).join(', ')}] }
  - { name: carol, tenant: globex, roles: [] }
`
}

/** The README: how to start, call and test the project. */
function readmeFile({ name, template, operations, api }: DocumentProject): string {
  const rows = operations.map(
    ({ method, path, summary }) => `| \`${method} ${path}\` | ${cell(summary ?? '')} |`,
  )
  const common = template.get('README.md') ?? ''
  const [first] = operations
  return `# ${name}

An agent with typed outcomes, behind a gateway.
${slice(common, { from: '\n```sh', to: '\nIn another terminal' })}
In another terminal, call it:

\`\`\`sh
${first === undefined ? '' : callCommand(first, api)}
\`\`\`
${slice(common, { from: '\nTest the running', to: '\n## Files' })}
## Operations and files

| Operation | Purpose |
|---|---|
${rows.join('\n')}

| File | Purpose |
|---|---|
| \`src/operations.ts\` | the operations of this service: they return their inputs, change this |
${slice(common, { from: '| `src/main.ts`', to: '| `test/`' })}| \`test/\` | the tests, without a gateway |
${slice(common, { from: '| `gateway.yaml`', to: '\nA new operation' })}${slice(common, { from: '\nIn production' })}`
}

function callCommand(operation: PlannedOperation, api: OpenApi): string {
  const { method, path, headers = {}, body } = sampleRequest(operation, api, 'complete')
  const parts = [
    `npx agentic call ${method} ${shellText(path)} --token "$(npx agentic token)"`,
    ...Object.entries(headers).map(([name, value]) => `--header ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data ${shellText(JSON.stringify(body))}`]),
    // A call would wait until somebody approves.
    ...(operation.approvalRole === undefined ? [] : ['--no-wait']),
  ]
  return parts.join(' ')
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function cell(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').replaceAll('|', '\\|')
}
