import { outcomes } from '@agentic-rest/profile'
import type { OpenApi } from './openapi.ts'
import type { PlannedOperation } from './plan-operations.ts'
import { asksFor, type SampleRequest, sampleRequest } from './sample-request.ts'
import { inBackground } from './scenario-file.ts'
import { valueSource } from './zod-source.ts'

/** A test of the operations, without a gateway or a network. */
export function testSource(operations: readonly PlannedOperation[], api: Pick<OpenApi, 'follow'>): string {
  const tests = operations.flatMap((operation) => {
    const { id, outcome, approvalRole } = operation
    const complete = sampleRequest(operation, api, 'complete')
    const isDirect = approvalRole === undefined
    return [
      isDirect
        ? caseSource(`${id} answers with ${outcome}`, complete, outcome)
        : caseSource(`${id} waits for an approval`, complete, 'approval_required'),
      ...(operation.async && isDirect
        ? [
            caseSource(
              `${id} runs in the background`,
              { ...complete, headers: { ...complete.headers, ...inBackground } },
              'accepted',
            ),
          ]
        : []),
      ...(asksFor(operation).length === 0
        ? []
        : [
            caseSource(
              `${id} asks for missing inputs`,
              sampleRequest(operation, api, 'empty'),
              'clarification_required',
            ),
          ]),
    ]
  })
  return `${head}\n${tests.join('\n')}`
}

const head = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { send } from './send.ts'
`

function caseSource(title: string, request: SampleRequest, type: keyof typeof outcomes): string {
  const { status, mediaType } = outcomes[type]
  const { method, path, ...sent } = request
  const options = Object.keys(sent).length === 0 ? '' : `, ${JSON.stringify(sent)}`
  return `test(${valueSource(title)}, async () => {
  const { status, headers, body } = await send(${valueSource(`${method} ${path}`)}${options})
  assert.equal(status, ${status}, JSON.stringify(body))
  assert.equal(headers.get('Content-Type'), ${valueSource(mediaType)})
})
`
}
