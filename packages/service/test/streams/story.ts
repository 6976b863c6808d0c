import { openStream } from '@agentic-rest/testing/stream-client'
import { z } from 'zod'
import { defineOperation, success } from '../../src/index.ts'
import { trace } from '../harness/ask.ts'

/** Tells a story word by word. */
export const tellStory = defineOperation({
  id: 'tell-story',
  method: 'POST',
  path: '/stories',
  input: z.object({ topic: z.string().describe('What about?') }),
  event: z.object({ text: z.string() }),
  outcomes: ['success'],
  async *run({ input }) {
    const words = ['Once', input.topic, 'slept.']
    for (const text of words) yield { text }
    return success({ story: words.join(' ') })
  },
})

/** Opens the stream of an operation over a real socket. */
export function tell(url: string, body: object = {}, headers: Record<string, string> = {}) {
  return openStream({
    url,
    headers: {
      'x-actor-subject': 'alice',
      'x-correlation-id': trace.correlationId,
      'x-request-id': trace.requestId,
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

/** The last frame of a stream with an outcome. */
export function outcomeFrame(type: string, status: number, body: object): string {
  return `event: outcome\ndata: ${JSON.stringify({ type, status, body: { ...body, trace } })}\n\n`
}

/** The last frame of a broken stream. */
export function errorFrame(code: string, message: string): string {
  return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, trace })}\n\n`
}

/** The last frame of a run that failed. */
export const failedFrame = errorFrame('INTERNAL_ERROR', 'The operation failed.')
