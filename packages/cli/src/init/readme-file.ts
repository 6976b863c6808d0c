import type { OpenApi } from './openapi.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { sampleRequest } from './sample-request.ts'

interface ReadmeFacts {
  readonly name: string
  readonly operations: readonly PlannedOperation[]
  readonly api: Pick<OpenApi, 'follow'>
}

/** The README of a project: how to start, call and test it. */
export function readmeFile({ name, operations, api }: ReadmeFacts): string {
  const [first] = operations
  const rows = operations.map(
    ({ method, path, summary }) => `| \`${method} ${path}\` | ${cell(summary ?? '')} |`,
  )
  return `# ${name}

An agent with typed outcomes, behind a gateway. It needs Node 24 or newer.

\`\`\`sh
npm install
npm test
npm run check
\`\`\`

Start the service and, in another terminal, the gateway with a local identity provider:

\`\`\`sh
npm start
\`\`\`

\`\`\`sh
npx agentic dev
\`\`\`

Then call it, and test it against the profile:

\`\`\`sh
${first === undefined ? '' : callCommand(first, api)}
npm run conformance
\`\`\`

| Operation | Purpose |
|---|---|
${rows.join('\n')}

| File | Purpose |
|---|---|
| \`src/operations.ts\` | the operations of this service: change this |
| \`src/main.ts\` | serves them on \`SERVICE_PORT\`, 8081 by default |
| \`test/operations.test.ts\` | the tests |
| \`gateway.yaml\` | tokens, tenants and routes; \`npx agentic routes gateway.yaml\` lists them |
| \`conformance.yaml\` | a request for each outcome |

In production, put your issuer into gateway.yaml and run \`npx agentic start -c gateway.yaml\`.
`
}

function callCommand(operation: PlannedOperation, api: ReadmeFacts['api']): string {
  const { method, path, headers = {}, body } = sampleRequest(operation, api, 'complete')
  const parts = [
    `npx agentic call ${method} ${shellText(path)} --token "$(npx agentic token)"`,
    ...Object.entries(headers).map(([name, value]) => `--header ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data ${shellText(JSON.stringify(body))}`]),
  ]
  return parts.join(' ')
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function cell(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').replaceAll('|', '\\|')
}
