import { createClient, type OperationStatus } from '@agentic-rest/client'
import {
  approvalRequired,
  clarificationRequired,
  created,
  createService,
  createStore,
  defineOperation,
} from '@agentic-rest/service'
import { startServer } from '@agentic-rest/testing/start-server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const store = createStore({ memory: true })
beforeAll(() => store.migrate())
afterAll(() => store.close())

const colour = {
  name: 'colour',
  location: 'body',
  type: 'string',
  required: true,
  question: 'Which colour?',
} as const

/** A service that asks questions only in the background, and a client for each caller. */
async function startPainter() {
  const runs: string[] = []
  const sent: { readonly key: unknown; readonly approval: unknown }[] = []
  const paint = defineOperation({
    id: 'paint',
    method: 'POST',
    path: '/walls/{wall}/paint',
    input: z.object({ wall: z.string(), colour: z.string().optional() }),
    async: true,
    idempotent: true,
    approval: {
      role: 'owner',
      when: ({ input }) => input.wall === 'outer' && { message: 'Paint it?', approver: { name: 'Owner' } },
    },
    run({ input, approval, commit }) {
      runs.push(`${input.wall} ${input.colour}`)
      // The service asks the approver itself, who agrees before the second attempt.
      if (input.wall === 'shared' && runs.length === 1)
        return approvalRequired({ message: 'The neighbour has to agree.', approvalToken: 'theirs' })
      if (input.colour === undefined)
        return clarificationRequired({ message: 'The colour is missing.', requiredInputs: [colour] })
      return commit(async () => created({ colour: input.colour, approved: approval !== undefined }))
    },
  })
  const service = createService({ operations: [paint], store })
  onTestFinished(() => service.close())
  const { url: baseUrl } = await startServer((request, response) => {
    const { 'idempotency-key': key, 'x-approval-token': approval } = request.headers
    if (request.url?.endsWith('/paint')) sent.push({ key, approval })
    service.listener(request, response)
  })
  const clientFor = (subject: string, roles = '') =>
    createClient({
      baseUrl,
      tenantId: 'acme',
      headers: { 'X-Actor-Subject': subject, ...(roles && { 'X-Actor-Roles': roles }) },
    })
  return { runs, sent, clientFor }
}

const paint = (wall: string) => ({
  method: 'POST',
  path: '/walls/{wall}/paint',
  params: { wall },
  body: {},
  preferAsync: true,
})

describe('work of a service that asks in the background', () => {
  test.each([
    ['a key of the client', undefined],
    ['a key of the caller', `mine-${crypto.randomUUID()}`],
  ])('is answered and done under %s', async (_title, idempotencyKey) => {
    const { clientFor, runs, sent } = await startPainter()
    const asked: string[] = []
    const seen: OperationStatus[] = []
    const outcome = await clientFor('alice').run(
      { ...paint('inner'), idempotencyKey },
      {
        onProgress: (status) => void seen.push(status),
        onClarification({ requiredInputs }) {
          asked.push(...requiredInputs.map(({ question }) => question))
          return { colour: 'blue' }
        },
      },
    )
    expect(outcome).toEqual({ type: 'created', body: { colour: 'blue', approved: false } })
    expect(asked).toEqual(['Which colour?'])
    expect(runs).toEqual(['inner undefined', 'inner blue'])
    const key = idempotencyKey ?? sent[0]?.key
    expect(key).toMatch(/./)
    expect(sent).toEqual(Array(2).fill({ key, approval: undefined }))
    const operations = new Set(seen.map(({ operationId }) => operationId))
    expect(operations.size).toBe(2)
    expect(seen.at(-1)?.status).toBe('completed')
  })

  test('is approved anew when the answer makes it another request', async () => {
    const { clientFor, runs } = await startPainter()
    const owner = clientFor('bob', 'owner')
    let approvals = 0
    const outcome = await clientFor('alice').run(paint('outer'), {
      onClarification: () => ({ colour: 'red' }),
      async onApproval({ location = '' }) {
        approvals += 1
        const decided = await owner.request({
          method: 'POST',
          path: `${new URL(location).pathname}/approve`,
          body: {},
        })
        return decided.type === 'success'
      },
    })
    expect(outcome).toEqual({ type: 'created', body: { colour: 'red', approved: true } })
    expect([approvals, runs]).toEqual([2, ['outer undefined', 'outer red']])
  })

  test('is done once the approval that it asked for is given', async () => {
    const { clientFor, runs, sent } = await startPainter()
    const asked: unknown[] = []
    const outcome = await clientFor('alice').run(
      { ...paint('shared'), body: { colour: 'green' } },
      { onApproval: (approval) => asked.push(approval) > 0 },
    )
    expect(outcome).toEqual({ type: 'created', body: { colour: 'green', approved: false } })
    expect(asked).toEqual([
      {
        message: 'The neighbour has to agree.',
        approvalToken: 'theirs',
        approver: undefined,
        location: undefined,
      },
    ])
    expect(runs).toEqual(['shared green', 'shared green'])
    const key = sent[0]?.key
    expect(sent).toEqual([
      { key, approval: undefined },
      { key, approval: 'theirs' },
    ])
  })
})
