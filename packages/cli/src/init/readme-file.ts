import type { PlannedOperation } from './plan-operations.ts'
import type { OpenApi } from './read-openapi.ts'
import { sampleRequest } from './sample-request.ts'

/** What the page tells of. */
export interface ReadmeFacts {
  readonly name: string
  readonly operations: readonly PlannedOperation[]
  readonly api: Pick<OpenApi, 'follow'>
}

/** The README of a project: from nothing to a service that passes conformance. */
export function readmeFile({ name, operations, api }: ReadmeFacts): string {
  const [first] = operations
  const rows = operations.map(
    ({ method, path, summary }) => `| \`${method} ${path}\` | ${cell(summary ?? '')} |`,
  )
  return `# ${name}

An agent that answers with typed outcomes, behind a gateway. Node 24 or newer is needed.

\`\`\`sh
npm install
npm test
npm run check
\`\`\`

Start the service, and in another terminal the gateway with an identity provider for this machine:

\`\`\`sh
npm start
\`\`\`

\`\`\`sh
npx agentic dev
\`\`\`

Then call it, and ask whether it keeps the profile:

\`\`\`sh
${first === undefined ? '' : callCommand(first, api)}
npm run conformance
\`\`\`

| Operation | What it does |
|---|---|
${rows.join('\n')}

| File | What it is |
|---|---|
| \`src/operations.ts\` | what this service offers: change this |
| \`src/main.ts\` | serves it at \`SERVICE_PORT\`, 8081 by default |
| \`test/operations.test.ts\` | its tests |
| \`gateway.yaml\` | tokens, tenants and routes; \`npx agentic routes gateway.yaml\` lists them |
| \`conformance.yaml\` | how each outcome is provoked |

In production \`npx agentic start -c gateway.yaml\` runs the gateway, with an issuer of yours in the file.
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
