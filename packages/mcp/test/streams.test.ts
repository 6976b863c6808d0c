import type { StreamEvent } from '@agentic-rest/mcp'
import { writeOutcomeFrame } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { messagesOf, modern, type ScriptedOptions, scriptedGateway } from './scripted-gateway.ts'

async function* eventsOf(events: readonly StreamEvent[]) {
  yield* events
}

const streaming = (
  events: readonly StreamEvent[],
  options: Pick<ScriptedOptions, 'mcp' | 'extension'> = { mcp: { stream: 'events' } },
) =>
  scriptedGateway({
    ...options,
    answer: ({ headers }) =>
      headers['Accept'] === 'text/event-stream'
        ? {
            status: 200,
            headers: { 'content-type': 'text/event-stream' },
            body: '',
            events: eventsOf(events),
          }
        : { type: 'success', body: { whole: true } },
  })

const params = { name: 'create-optimization', arguments: { campaignId: 'c' } }
const meta = { progressToken: 'p' }

describe('a streamed answer', () => {
  test('is progress for each event and all events in the end', async () => {
    const gateway = streaming([{ event: 'delta', data: 'a', id: '1' }, { data: 'b' }])
    const messages = await messagesOf(await modern(gateway, 'tools/call', params, { meta }))
    expect(messages.slice(0, 2).map((message) => message.params)).toEqual([
      { progressToken: 'p', progress: 1, message: 'a' },
      { progressToken: 'p', progress: 2, message: 'b' },
    ])
    expect(messages[2].result.structuredContent).toEqual({
      events: [{ event: 'delta', data: 'a', id: '1' }, { data: 'b' }],
    })
  })

  test('is the outcome of its last frame, and each event before it is progress', async () => {
    const body = { story: 'ab', trace: { correlationId: 'c', requestId: 'r' } }
    const data = JSON.stringify({ type: 'success', status: 200, body })
    const gateway = streaming([{ data: 'a' }, { data: 'b' }, { event: 'outcome', data }])
    const messages = await messagesOf(await modern(gateway, 'tools/call', params, { meta }))
    expect(messages.slice(0, -1).map((message) => message.params.message)).toEqual(['a', 'b'])
    expect(messages.at(-1).result.structuredContent).toMatchObject({ story: 'ab' })
    expect(messages.at(-1).result.structuredContent).not.toHaveProperty('events')
  })

  test('that ends with a refusal is an error with that outcome', async () => {
    const body = {
      type: 'conflict',
      code: 'TAKEN',
      message: 'It is taken.',
      trace: { correlationId: 'c', requestId: 'r' },
    }
    const data = JSON.stringify({ type: 'conflict', status: 409, body })
    const gateway = streaming([{ data: 'a' }, { event: 'outcome', data }])
    const last = (await messagesOf(await modern(gateway, 'tools/call', params, { meta }))).at(-1)
    expect(last.result).toMatchObject({ isError: true, structuredContent: { code: 'TAKEN' } })
    expect(last.result._meta['org.agentic-rest/outcome']).toMatchObject({ type: 'conflict', status: 409 })
  })

  test('that ends with a question for an approval has its address from the last frame', async () => {
    const trace = { correlationId: 'c', requestId: 'r' }
    const frame = writeOutcomeFrame(
      { type: 'approval_required', message: 'May I?', approvalToken: 't-1' },
      trace,
      { location: '/approvals/1' },
    )
    const data = frame.slice('event: outcome\ndata: '.length).trimEnd()
    const last = (
      await messagesOf(
        await modern(streaming([{ data: 'a' }, { event: 'outcome', data }]), 'tools/call', params, { meta }),
      )
    ).at(-1)
    expect(last.result.structuredContent).toMatchObject({
      approvalUrl: 'https://agents.example.com/approvals/1',
    })
  })

  test('has an event of another service with the name outcome as an event', async () => {
    const gateway = streaming([{ event: 'outcome', data: 'rain' }])
    const last = (await messagesOf(await modern(gateway, 'tools/call', params, { meta }))).at(-1)
    expect(last.result.structuredContent).toEqual({ events: [{ event: 'outcome', data: 'rain' }] })
  })

  test('is not asked for without a progress token', async () => {
    const [message] = await messagesOf(await modern(streaming([]), 'tools/call', params))
    expect(message.result.structuredContent).toMatchObject({ whole: true })
  })

  test('that fails at its end is an error with the body of the frame', async () => {
    const data = '{"type":"failed_dependency","code":"UPSTREAM_FAILED","message":"Broken."}'
    const gateway = streaming([{ data: 'a' }, { event: 'error', data }])
    const last = (await messagesOf(await modern(gateway, 'tools/call', params, { meta }))).at(-1)
    expect(last.result).toMatchObject({ isError: true, structuredContent: { code: 'UPSTREAM_FAILED' } })
    expect(last.result._meta['org.agentic-rest/outcome']).toMatchObject({
      type: 'failed_dependency',
      status: 424,
    })
  })

  test('is cut at 1 MiB, and its messages at 2 KiB', async () => {
    const gateway = streaming(Array.from({ length: 20 }, () => ({ data: 'ä'.repeat(50_000) })))
    const messages = await messagesOf(await modern(gateway, 'tools/call', params, { meta }))
    expect(messages[0].params.message).toBe('ä'.repeat(1024))
    const { structuredContent } = messages.at(-1).result
    expect(structuredContent.truncated).toBe(true)
    expect(structuredContent.events).toHaveLength(10)
  })

  test('never shows an approval token', async () => {
    const gateway = streaming([{ data: '{"approvalToken":"secret","a":1}' }])
    const messages = await messagesOf(await modern(gateway, 'tools/call', params, { meta }))
    expect(JSON.stringify(messages)).not.toContain('secret')
  })
})

describe('an operation whose document says that it streams', () => {
  const extension = { stream: true }
  const progressOf = async (options: Pick<ScriptedOptions, 'mcp' | 'extension'>) => {
    const messages = await messagesOf(
      await modern(streaming([{ data: 'a' }], options), 'tools/call', params, { meta }),
    )
    return messages.slice(0, -1).map((message) => message.params.message)
  }

  test('reports its events without a setting', async () => {
    expect(await progressOf({ extension })).toEqual(['a'])
  })

  test('is called for JSON with stream: off', async () => {
    expect(await progressOf({ extension, mcp: { stream: 'off' } })).toEqual([])
  })

  test.each([{ stream: 'yes' }, { stream: false }, {}])('does not stream by %j', async (other) => {
    expect(await progressOf({ extension: other })).toEqual([])
  })
})

test('a slow call reports the seconds, so that clients do not give up', async () => {
  let finish: (() => void) | undefined
  const gateway = scriptedGateway({
    answer: () =>
      new Promise((resolve) => {
        finish = () => resolve({ type: 'success', body: {} })
      }),
  })
  const answering = modern(gateway, 'tools/call', params, { meta })
  await gateway.clock.advance(11_000)
  finish?.()
  const messages = await messagesOf(await answering)
  expect(messages.slice(0, -1).map((message) => message.params.progress)).toEqual([5, 10])
  expect(messages.at(-1).result.resultType).toBe('complete')
})
