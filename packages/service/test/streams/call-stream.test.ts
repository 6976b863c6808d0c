import { eventually } from '@agentic-rest/testing/eventually'
import { startService } from '@agentic-rest/testing/start-service'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import {
  approvalRequired,
  type CallRequest,
  conflict,
  defineOperation,
  type Outcome,
  success,
} from '../../src/index.ts'
import { createCallTracker } from '../../src/testing.ts'
import { ask, trace } from '../harness/ask.ts'
import { outcomeFrame, tell, tellStory } from './story.ts'

/** An outer agent that passes the events of another one on and ends with its outcome. */
async function startOuter(request: Partial<CallRequest> & Pick<CallRequest, 'baseUrl'>, max = Infinity) {
  const outcomes: Outcome[] = []
  const tracker = createCallTracker()
  const outer = defineOperation({
    id: 'outer',
    method: 'POST',
    path: '/outer',
    async *run({ call, propagate }) {
      const body = { topic: 'mice' }
      const story = call.stream({ method: 'POST', path: '/stories', body, ...request })
      let count = 0
      for await (const { event, data, id } of story) {
        yield [event, data, id]
        count += 1
        if (count === max) break
      }
      const outcome = await story.outcome
      outcomes.push(outcome)
      return outcome.type === 'success' ? outcome : propagate(outcome)
    },
  })
  const started = await startService({ operations: [outer], callObserver: tracker })
  return { ...started, tracker, outcomes }
}

const frame = (data: unknown) => `data: ${JSON.stringify(['message', JSON.stringify(data), ''])}\n\n`

describe('a stream of an agent inside a stream of another', () => {
  it('keeps tenant and correlation id, the order of events and the outcome', async () => {
    const inner = await startService({ operations: [tellStory] })
    const { url, tracker, audit } = await startOuter({ baseUrl: inner.url })
    const stream = await tell(`${url}/outer`)
    expect((await stream.ended).text).toBe(
      ['Once', 'mice', 'slept.'].map((text) => frame({ text })).join('') +
        outcomeFrame('success', 200, { story: 'Once mice slept.' }),
    )
    expect(inner.audit).toMatchObject([
      { tenant_id: 'acme', correlation_id: 'corr-1', attributes: { events: '3', end: 'complete' } },
    ])
    expect(inner.audit[0]?.request_id).not.toBe('req-1')
    expect(audit).toMatchObject([{ attributes: { events: '3', end: 'complete' } }])
    tracker.assertNothingSwallowed()
  })

  it('ends with the refusal of the inner agent, before its stream or in its last frame', async () => {
    const refusing = defineOperation({
      id: 'refusing',
      method: 'POST',
      path: '/stories',
      async *run() {
        yield 'begun'
        return conflict({ code: 'TAKEN', message: 'It is taken.' })
      },
    })
    const inner = await startService({ operations: [refusing] })
    const { url } = await startOuter({ baseUrl: inner.url })
    const [first, last] = (await (await tell(`${url}/outer`)).ended).text.split('\n\n')
    expect(first).toBe('data: ["message","begun",""]')
    expect(JSON.parse(last?.replace('event: outcome\ndata: ', '') ?? '')).toEqual({
      type: 'conflict',
      status: 409,
      body: { type: 'conflict', code: 'TAKEN', message: 'It is taken.', trace },
    })
    const missing = await startOuter({ baseUrl: inner.url, path: '/nothing' })
    await (await tell(`${missing.url}/outer`)).ended
    expect(missing.outcomes).toMatchObject([{ type: 'error', condition: 'not_found' }])
  })

  it('passes the address of an inner approval on, through both last frames', async () => {
    const refusing = defineOperation({
      id: 'refusing',
      method: 'POST',
      path: '/stories',
      async *run({ setHeader }) {
        yield 'begun'
        setHeader('Location', '/approvals/1')
        return approvalRequired({ message: 'May I?', approvalToken: 't-1' })
      },
    })
    const inner = await startService({ operations: [refusing] })
    const { url } = await startOuter({ baseUrl: inner.url, publicUrl: 'https://inner.example' })
    const { text } = await (await tell(`${url}/outer`)).ended
    expect(JSON.parse(text.split('event: outcome\ndata: ')[1] ?? '')).toMatchObject({
      type: 'approval_required',
      status: 412,
      location: 'https://inner.example/approvals/1',
    })
  })

  it('is cancelled when the reader of the outer stream leaves', async () => {
    const stopped = Promise.withResolvers<void>()
    const endless = defineOperation({
      id: 'endless',
      method: 'POST',
      path: '/stories',
      async *run({ signal }) {
        try {
          yield 'one'
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          return success({})
        } finally {
          stopped.resolve()
        }
      },
    })
    const inner = await startService({ operations: [endless] })
    const { url } = await startOuter({ baseUrl: inner.url })
    const stream = await tell(`${url}/outer`)
    await stream.until('one')
    stream.leave()
    await stopped.promise
    await eventually(
      () => inner.audit,
      ({ length }) => length === 1,
    )
    expect(inner.audit[0]?.attributes['end']).toBe('client_disconnect')
  })

  it('that is left early is a failed dependency', async () => {
    const inner = await startService({ operations: [tellStory] })
    const { url, outcomes } = await startOuter({ baseUrl: inner.url }, 1)
    await (await tell(`${url}/outer`)).ended
    expect(outcomes).toMatchObject([{ type: 'failed_dependency', code: 'DEPENDENCY_UNAVAILABLE' }])
  })
})

describe('a call for a stream', () => {
  const streamed = (end: (response: import('node:http').ServerResponse) => void) =>
    startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: one\n\n', () => end(response))
    })

  it('takes an ordinary answer, without events', async () => {
    const plain = defineOperation({
      id: 'plain',
      method: 'POST',
      path: '/stories',
      run: () => success({ story: 'short' }),
    })
    const inner = await startService({ operations: [plain] })
    const { url } = await startOuter({ baseUrl: inner.url })
    expect((await (await tell(`${url}/outer`)).ended).text).toBe(
      outcomeFrame('success', 200, { story: 'short' }),
    )
  })

  it('fails without a last frame', async () => {
    const inner = await streamed((response) => response.end())
    const { url, outcomes } = await startOuter({ baseUrl: inner.url })
    await ask(`${url}/outer`, { method: 'POST' })
    expect(outcomes).toMatchObject([{ type: 'failed_dependency', code: 'DEPENDENCY_INVALID_RESPONSE' }])
  })

  it('fails when the source is cut', async () => {
    const inner = await streamed((response) => response.destroy())
    const { url, outcomes } = await startOuter({ baseUrl: inner.url })
    await ask(`${url}/outer`, { method: 'POST' })
    expect(outcomes).toMatchObject([{ type: 'failed_dependency', code: 'DEPENDENCY_UNAVAILABLE' }])
  })

  it('fails when the stream falls silent', async () => {
    const inner = await streamed(() => undefined)
    const { url, outcomes } = await startOuter({ baseUrl: inner.url, timeoutSeconds: 0.2 })
    await ask(`${url}/outer`, { method: 'POST' })
    expect(outcomes).toMatchObject([{ type: 'failed_dependency', code: 'DEPENDENCY_TIMEOUT' }])
  })
})
