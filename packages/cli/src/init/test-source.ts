import { outcomes } from '@agentic-rest/profile'
import type { OpenApi } from './openapi.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { asksFor, type SampleRequest, sampleRequest } from './sample-request.ts'
import { valueSource } from './zod-source.ts'

/** A test of the operations, without a gateway or a network. */
export function testSource(operations: readonly PlannedOperation[], api: Pick<OpenApi, 'follow'>): string {
  const tests = operations.flatMap((operation) => [
    caseSource(
      `${operation.id} answers with ${operation.outcome}`,
      sampleRequest(operation, api, 'complete'),
      operation.outcome,
    ),
    ...(asksFor(operation).length === 0
      ? []
      : [
          caseSource(
            `${operation.id} asks for missing inputs`,
            sampleRequest(operation, api, 'empty'),
            'clarification_required',
          ),
        ]),
  ])
  return `${head}\n${tests.join('\n')}`
}

const head = `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createService } from '@agentic-rest/service'
import { operations } from '../src/operations.ts'

// The gateway would set the tenant of the caller.
const service = createService({ operations, defaultTenant: 'acme' })
after(() => service.close())

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

async function send({ method, path, headers, body }: Sent): Promise<Response> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = { 'Content-Type': 'application/json' }
  return await service.fetch(new Request(\`http://localhost\${path}\`, { method, headers: { ...type, ...headers }, ...json }))
}
`

function caseSource(title: string, request: SampleRequest, type: keyof typeof outcomes): string {
  const { status, mediaType } = outcomes[type]
  return `test(${valueSource(title)}, async () => {
  const answer = await send(${JSON.stringify(request)})
  assert.equal(answer.status, ${status}, await answer.clone().text())
  assert.equal(answer.headers.get('Content-Type'), ${valueSource(mediaType)})
})
`
}
