import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  clarificationRequired,
  conflict,
  created,
  defineOperation,
  event,
  forbidden,
  success,
} from '../../src/index.ts'
import { ask, expectAnswer, expectQuestion, trace } from '../harness/ask.ts'
import { errorFrame, outcomeFrame, tell, tellStory } from './story.ts'

const store = sharedStore()

const words = 'data: {"text":"Once"}\n\ndata: {"text":"mice"}\n\ndata: {"text":"slept."}\n\n'

describe('a caller that accepts event streams', () => {
  it('gets each event as a frame, and the outcome in the last one', async () => {
    const { url, audit, service } = await startService({ operations: [tellStory] })
    const stream = await tell(`${url}/stories`, { topic: 'mice' })
    expect(await stream.ended).toEqual({
      complete: true,
      text: words + outcomeFrame('success', 200, { story: 'Once mice slept.' }),
    })
    expect(stream.response.statusCode).toBe(200)
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-agentic-profile': 'v0.3',
      'x-correlation-id': 'corr-1',
      'x-request-id': 'req-1',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    expect(audit).toMatchObject([
      {
        event_type: 'agentic.response.written',
        operation: 'tell-story',
        outcome: 'success',
        tenant_id: 'acme',
        attributes: {
          events: '3',
          end: 'complete',
          status: '200',
          duration_ms: expect.stringMatching(/^\d+$/),
          first_event_ms: expect.stringMatching(/^\d+$/),
          token_sub: 'alice',
        },
      },
    ])
    const metrics = await service.metrics()
    expect(metrics).toContain('agentic_service_streams_active 0\n')
    expect(metrics).toContain('agentic_service_events_total{operation="tell-story"} 3\n')
  })

  it('gets an ordinary answer for inputs that are missing or wrong, before a stream', async () => {
    const { url } = await startService({ operations: [tellStory] })
    const accept = { accept: 'text/event-stream' }
    expectQuestion(await ask(`${url}/stories`, { json: {}, headers: accept }), [
      { name: 'topic', location: 'body', type: 'string', required: true, question: 'What about?' } as never,
    ])
    const wrong = await ask(`${url}/stories`, { json: { topic: 1 }, headers: accept })
    expect(wrong.status).toBe(422)
  })

  it('gets an ordinary answer when check refuses', async () => {
    const refused = defineOperation({
      id: 'refused',
      method: 'POST',
      path: '/refused',
      check: () => forbidden({ code: 'NO', message: 'No.' }),
      async *run() {
        yield 1
        return success({})
      },
    })
    const { url } = await startService({ operations: [refused] })
    const answer = await ask(`${url}/refused`, { method: 'POST', headers: { accept: 'text/event-stream' } })
    expectAnswer(answer, 403, { type: 'forbidden', code: 'NO', message: 'No.' })
  })

  it.each([
    ['conflict', 409, conflict({ code: 'TAKEN', message: 'It is taken.' })],
    [
      'clarification_required',
      400,
      clarificationRequired({
        message: 'Which?',
        requiredInputs: [
          { name: 'a', location: 'body', type: 'string', required: true, question: 'Which a?' },
        ],
      }),
    ],
  ] as const)('gets a returned %s as the last frame', async (type, status, outcome) => {
    const operation = defineOperation({
      id: 'refusing',
      method: 'POST',
      path: '/refusing',
      async *run() {
        yield 'begun'
        return outcome
      },
    })
    const { url } = await startService({ operations: [operation] })
    const { text } = await (await tell(`${url}/refusing`)).ended
    const [first, last] = text.split('\n\n')
    expect(first).toBe('data: begun')
    expect(JSON.parse(last?.replace('event: outcome\ndata: ', '') ?? '')).toMatchObject({
      type,
      status,
      body: { ...outcome, trace: { correlationId: 'corr-1' } },
    })
  })

  it('gets the address of a created resource in the last frame, and again with its key', async () => {
    const operation = defineOperation({
      id: 'write',
      method: 'POST',
      path: '/stories',
      idempotent: true,
      async *run() {
        yield 'begun'
        return created({ id: 7 }, { location: '/stories/7' })
      },
    })
    const { url } = await startService({ operations: [operation], store, publicPath: '/writer' })
    const last = `event: outcome\ndata: ${JSON.stringify({
      type: 'created',
      status: 201,
      location: '/writer/stories/7',
      body: { id: 7, trace },
    })}\n\n`
    const send = async () => (await (await tell(`${url}/stories`, {}, { 'idempotency-key': 'k' })).ended).text
    expect(await send()).toBe(`data: begun\n\n${last}`)
    expect(await send()).toBe(last)
  })

  it('gets names, ids and pauses of events, and headers set before the first wait', async () => {
    const operation = defineOperation({
      id: 'named',
      method: 'POST',
      path: '/named',
      async *run({ setHeader }) {
        setHeader('X-Model', 'small')
        setHeader('Content-Type', 'text/plain')
        yield event({ step: 1 }, { event: 'step', id: 's-1', retry: 500 })
        return success({})
      },
    })
    const { url } = await startService({ operations: [operation] })
    const stream = await tell(`${url}/named`)
    expect((await stream.ended).text).toBe(
      `event: step\nid: s-1\nretry: 500\ndata: {"step":1}\n\n${outcomeFrame('success', 200, {})}`,
    )
    expect(stream.response.headers).toMatchObject({
      'x-model': 'small',
      'content-type': 'text/event-stream',
    })
  })

  it('gets JSON from an operation that does not stream', async () => {
    const plain = defineOperation({
      id: 'plain',
      method: 'GET',
      path: '/plain',
      run: () => success({ a: 1 }),
    })
    const { url } = await startService({ operations: [plain] })
    expectAnswer(await ask(`${url}/plain`, { headers: { accept: 'text/event-stream' } }), 200, { a: 1 })
  })

  it('gets no body for HEAD', async () => {
    const operation = defineOperation({
      id: 'watch',
      method: 'GET',
      path: '/watch',
      async *run() {
        yield 1
        return success({})
      },
    })
    const { url } = await startService({ operations: [operation] })
    const answer = await ask(`${url}/watch`, { method: 'HEAD', headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/json',
    ])
  })
})

it.each(['application/json', '*/*', 'text/*', 'text/event-stream;q=0', ''])(
  'a caller with Accept %j gets the outcome as JSON, without the events',
  async (accept) => {
    const { url, audit } = await startService({ operations: [tellStory] })
    const answer = await ask(`${url}/stories`, { json: { topic: 'mice' }, headers: { accept } })
    expectAnswer(answer, 200, { story: 'Once mice slept.' })
    expect(audit[0]?.attributes).toEqual({ status: '200', token_sub: 'alice' })
  },
)

it('a quiet stream has comments between its events', async () => {
  const goOn = Promise.withResolvers<void>()
  const operation = defineOperation({
    id: 'quiet',
    method: 'POST',
    path: '/quiet',
    async *run() {
      yield 1
      await goOn.promise
      return success({})
    },
  })
  const { url } = await startService({ operations: [operation], streams: { heartbeatSeconds: 0.01 } })
  const stream = await tell(`${url}/quiet`)
  await stream.until('data: 1\n\n:\n\n:\n\n')
  goOn.resolve()
  expect((await stream.ended).text).toMatch(/^data: 1\n\n(?::\n\n)+event: outcome\n/)
})

it.each([
  [{ heartbeatSeconds: -1 }, 'streams.heartbeatSeconds has to be a number from 0 to 2147483'],
  [{ timeoutSeconds: 0 }, 'streams.timeoutSeconds has to be a positive number up to 2147483'],
  [{ timeoutSeconds: Number.NaN }, 'streams.timeoutSeconds has to be a positive number up to 2147483'],
])('the settings %j are refused', async (streams, message) => {
  await expect(startService({ operations: [tellStory], streams })).rejects.toThrow(new TypeError(message))
})

it('works on fetch alone', async () => {
  const { service } = await startService({ operations: [tellStory] })
  const response = await service.fetch(
    new Request('http://service.example/stories', {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'x-tenant-id': 'acme',
        'x-correlation-id': 'corr-1',
        'x-request-id': 'req-1',
      },
      body: '{"topic":"mice"}',
    }),
  )
  expect(await response.text()).toBe(words + outcomeFrame('success', 200, { story: 'Once mice slept.' }))
})

describe('a generator that is not the method itself', () => {
  async function* count() {
    yield 1
    return success({})
  }

  it('streams with a schema of its events', async () => {
    const operation = defineOperation({
      id: 'made',
      method: 'POST',
      path: '/made',
      event: z.number(),
      run: () => count(),
    })
    const { url } = await startService({ operations: [operation] })
    expect((await (await tell(`${url}/made`)).ended).text).toBe(
      `data: 1\n\n${outcomeFrame('success', 200, {})}`,
    )
  })

  it('is a fault without one, and the log says what to do', async () => {
    const operation = defineOperation({ id: 'made', method: 'POST', path: '/made', run: () => count() })
    const { url, log } = await startService({ operations: [operation] })
    const answer = await ask(`${url}/made`, { method: 'POST', headers: { accept: 'text/event-stream' } })
    expect(answer.status).toBe(500)
    expect(log).toMatchObject([
      { fields: { cause: { message: expect.stringContaining('write it as `async *run`') } } },
    ])
  })
})

it('the schema types what run yields', () => {
  defineOperation({
    id: 'typed',
    method: 'POST',
    path: '/typed',
    input: z.object({ topic: z.string() }),
    event: z.object({ text: z.string() }),
    async *run({ input }) {
      expectTypeOf(input).toEqualTypeOf<{ topic: string }>()
      yield { text: 'a' }
      yield event({ text: 'b' }, { id: '1' })
      return success({})
    },
  })
  defineOperation({
    id: 'wrong',
    method: 'POST',
    path: '/wrong',
    event: z.object({ text: z.string() }),
    // @ts-expect-error: the schema has no such event
    async *run() {
      yield { text: 1 }
      return success({})
    },
  })
  defineOperation({
    id: 'ended',
    method: 'POST',
    path: '/ended',
    // @ts-expect-error: a generator has to return an outcome
    async *run() {
      yield 1
    },
  })
})

it('the document has both media types and says that the operation streams', async () => {
  const { service } = await startService({ operations: [tellStory] })
  const { paths } = service.openapi() as { paths: Record<string, Record<string, Record<string, unknown>>> }
  const post = paths['/stories']?.['post'] ?? {}
  expect(post['x-agentic']).toEqual({ stream: true })
  expect(post['responses']).toMatchObject({
    200: {
      content: {
        'application/json': {},
        'text/event-stream': {
          schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      },
    },
  })
})

it('a stream past its time ends with EXECUTION_TIMEOUT, and its run is told to stop', async () => {
  const stopped = Promise.withResolvers<void>()
  const endless = defineOperation({
    id: 'endless',
    method: 'POST',
    path: '/endless',
    async *run({ signal }) {
      try {
        for (let n = 0; ; n += 1) {
          yield n
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
        }
      } finally {
        stopped.resolve()
      }
    },
  })
  const { url, audit } = await startService({ operations: [endless], streams: { timeoutSeconds: 0.05 } })
  const stream = await tell(`${url}/endless`)
  expect(await stream.ended).toEqual({
    complete: true,
    text: `data: 0\n\n${errorFrame('EXECUTION_TIMEOUT', 'The operation took longer than it may.')}`,
  })
  await stopped.promise
  expect(audit).toMatchObject([
    { outcome: 'error', attributes: { events: '1', end: 'error', status: '500' } },
  ])
})
