import type { ServerResponse } from 'node:http'
import {
  type Outcome,
  type StreamEvent,
  type Trace,
  writeErrorFrame,
  writeOutcomeFrame,
} from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { startRunService } from './run-service.ts'
import { sampleOutcomes } from './sample-outcomes.ts'
import { sendOutcome } from './scenario-service/send-outcome.ts'

const post = { method: 'POST', path: '/stories', body: { topic: 'mice' } }

function open(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream', 'x-agentic-profile': 'v0.3' })
}

function tell(response: ServerResponse, trace: Trace, outcome: Outcome): void {
  open(response).end(`data: one\n\nevent: step\nid: 7\ndata: two\n\n${writeOutcomeFrame(outcome, trace)}`)
}

function collector() {
  const events: StreamEvent[] = []
  return { events, onEvent: (event: StreamEvent) => void events.push(event) }
}

const both = [
  { event: 'message', data: 'one', id: '' },
  { event: 'step', data: 'two', id: '7' },
]

describe('a run with onEvent', () => {
  test('hands over every event but the last and resolves with its outcome', async () => {
    const { client, requests } = await startRunService(({ trace }, response) =>
      tell(response, trace, sampleOutcomes.success),
    )
    const { events, onEvent } = collector()
    const outcome = await client.run(post, { onEvent })
    expect(outcome).toEqual(sampleOutcomes.success)
    expect(outcome.answer).toMatchObject({ status: 200, profile: 'v0.3' })
    expect(outcome.answer.trace.requestId).toBe(requests[0]?.trace.requestId)
    expect(events).toEqual(both)
    expect(requests[0]?.headers['accept']).toBe('application/json, text/event-stream')
  })

  test('takes an outcome that is longer than an event may be', async () => {
    const answer = ({ trace }: { trace: Trace }, response: ServerResponse) =>
      tell(response, trace, { type: 'success', body: { text: 'x'.repeat(2000) } })
    const { client } = await startRunService(answer, { maxEventLength: 1000 })
    expect(await client.run(post, { onEvent: () => undefined })).toMatchObject({ type: 'success' })
    const short = await startRunService(answer, { maxEventLength: 1000, maxResponseBytes: 1500 })
    await expect(short.client.run(post, { onEvent: () => undefined })).rejects.toMatchObject({
      code: 'EVENT_TOO_LARGE',
    })
  })

  test('takes an ordinary answer of an operation that cannot stream', async () => {
    const { client } = await startRunService(({ trace }, response) =>
      sendOutcome(response, trace, sampleOutcomes.conflict),
    )
    const { events, onEvent } = collector()
    expect(await client.run(post, { onEvent })).toEqual(sampleOutcomes.conflict)
    expect(events).toEqual([])
  })

  test('answers a clarification of the last frame and streams again', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) =>
      tell(response, trace, count === 1 ? sampleOutcomes.clarification_required : sampleOutcomes.success),
    )
    const { events, onEvent } = collector()
    const [asked] = sampleOutcomes.clarification_required.requiredInputs
    const outcome = await client.run(post, { onEvent, onClarification: () => ({ [asked.name]: 'ctr' }) })
    expect(outcome).toEqual(sampleOutcomes.success)
    expect(events).toEqual([...both, ...both])
    expect(requests).toHaveLength(2)
  })

  test('waits for an approval of the last frame', async () => {
    const { client, requests } = await startRunService(({ trace, headers }, response) =>
      tell(
        response,
        trace,
        headers['x-approval-token'] === undefined ? sampleOutcomes.approval_required : sampleOutcomes.success,
      ),
    )
    const outcome = await client.run(post, { onEvent: () => undefined, onApproval: 'wait' })
    expect(outcome).toEqual(sampleOutcomes.success)
    expect(requests).toHaveLength(2)
  })

  test('asks the address of an approval of the last frame', async () => {
    const { client, requests, url } = await startRunService(({ trace, headers, url: asked }, response) => {
      if (asked === '/approvals/1')
        return sendOutcome(response, trace, { type: 'success', body: { state: 'approved' } })
      if (headers['x-approval-token'] !== undefined) return tell(response, trace, sampleOutcomes.success)
      open(response).end(
        writeOutcomeFrame(sampleOutcomes.approval_required, trace, { location: '/approvals/1' }),
      )
    })
    const locations: (string | undefined)[] = []
    const outcome = await client.run(post, {
      onEvent: () => undefined,
      onApproval: ({ location }) => locations.push(location) > 0,
    })
    expect(outcome).toEqual(sampleOutcomes.success)
    expect(locations).toEqual([`${url}/approvals/1`])
    expect(requests.map((request) => request.url)).toEqual(['/stories', '/approvals/1', '/stories'])
  })

  test('resolves with the failure of a last error frame', async () => {
    const { client } = await startRunService(({ trace }, response) => {
      open(response).end(`data: one\n\n${writeErrorFrame(sampleOutcomes.failed_dependency, trace)}`)
    })
    const outcome = await client.run(post, { onEvent: () => undefined })
    expect(outcome).toEqual(sampleOutcomes.failed_dependency)
    expect(outcome.answer.status).toBe(424)
  })

  test('fails when the stream ends without a last frame, and is not sent again', async () => {
    const { client, requests, url } = await startRunService((_request, response) => {
      open(response).end('data: one\n\nevent: outcome\ndata: not ours\n\n')
    })
    const { events, onEvent } = collector()
    await expect(client.run(post, { onEvent, retryUnsafe: true })).rejects.toMatchObject({
      name: 'TransportError',
      code: 'STREAM_FAILED',
      message: `the stream ended without its outcome (${url}/stories)`,
    })
    expect(events.map(({ data }) => data)).toEqual(['one', 'not ours'])
    expect(requests).toHaveLength(1)
  })

  test('fails when the connection breaks, and is not sent again', async () => {
    const read = Promise.withResolvers<void>()
    const { client, requests } = await startRunService(async (_request, response) => {
      open(response).write('data: one\n\n')
      await read.promise
      response.destroy()
    })
    const run = client.run(post, { retryUnsafe: true, onEvent: () => read.resolve() })
    await expect(run).rejects.toMatchObject({ code: 'STREAM_FAILED', cause: { code: 'NETWORK' } })
    expect(requests).toHaveLength(1)
  })

  test('passes a fault of the handler on and leaves the stream', async () => {
    const left = Promise.withResolvers<void>()
    const { client } = await startRunService((_request, response) => {
      response.on('close', left.resolve)
      open(response).write('data: one\n\n')
    })
    const fault = new Error('the page is gone')
    await expect(
      client.run(post, {
        onEvent: () => {
          throw fault
        },
      }),
    ).rejects.toBe(fault)
    await left.promise
  })

  test('waits for its handler before it reads on', async () => {
    const { client } = await startRunService(({ trace }, response) =>
      tell(response, trace, sampleOutcomes.success),
    )
    const seen: string[] = []
    await client.run(post, {
      onEvent: async ({ data }) => {
        seen.push(`${data} begins`)
        await new Promise(setImmediate)
        seen.push(`${data} ends`)
      },
    })
    expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  })

  test('can be aborted', async () => {
    const { client } = await startRunService((_request, response) => {
      open(response).write('data: one\n\n')
    })
    const leave = new AbortController()
    const run = client.run(post, { signal: leave.signal, onEvent: () => leave.abort('enough') })
    await expect(run).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
  })
})

test('stream yields the outcome frame too', async () => {
  const { client } = await startRunService(({ trace }, response) =>
    tell(response, trace, sampleOutcomes.success),
  )
  const names: string[] = []
  for await (const { event } of client.stream(post)) names.push(event)
  expect(names).toEqual(['message', 'step', 'outcome'])
})
