import { defineOperation, event, raw, success } from '@agentic-rest/service'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startService } from '@agentic-rest/testing/start-service'
import { z } from 'zod'

const words = ['Once', 'zwei Mäuse\nschliefen', '🐭']

const tellStory = defineOperation({
  id: 'tell-story',
  method: 'POST',
  path: '/stories',
  summary: 'Tells a story.',
  input: z.object({ topic: z.string().describe('What about?') }),
  event: z.object({ text: z.string() }),
  outcomes: ['success'],
  async *run() {
    for (const [index, text] of words.entries())
      yield index === 1 ? event({ text }, { event: 'middle', id: 'm-1' }) : { text }
    return success({ story: words.join(' ') })
  },
})

const complete = defineOperation({
  id: 'complete',
  method: 'POST',
  path: '/v1/completions',
  input: z.looseObject({ prompt: z.string() }),
  event: z.string(),
  async run() {
    const body = (text: string) => ({
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text }],
    })
    const frames = async function* () {
      for (const word of words) yield `data: ${JSON.stringify(body(word))}\n\n`
      yield 'data: [DONE]\n\n'
    }
    return raw(frames())
  },
})

/** The words of every stream. */
export const storyWords: readonly string[] = words

/** The ids that every client of a test sends. */
export const ids = { 'X-Tenant-ID': 'acme', 'X-Correlation-ID': 'corr-1', 'X-Request-ID': 'req-1' }

/** The whole stream, as every client has to get it. */
export const wholeStream = [
  `data: ${JSON.stringify({ text: words[0] })}`,
  `event: middle\nid: m-1\ndata: ${JSON.stringify({ text: words[1] })}`,
  `data: ${JSON.stringify({ text: words[2] })}`,
  `event: outcome\ndata: ${JSON.stringify({
    type: 'success',
    status: 200,
    body: { story: words.join(' '), trace: { correlationId: 'corr-1', requestId: 'req-1' } },
  })}`,
]
  .map((frame) => `${frame}\n\n`)
  .join('')

/** A streaming service of the SDK behind a gateway that enforces the profile and offers it as a tool. */
export async function startStories(origins: readonly string[] = []) {
  const { url: target, audit } = await startService({
    operations: [tellStory, complete],
    defaultTenant: 'acme',
  })
  const { url } = await startGateway({
    ...(origins.length > 0 && { gateway: { cors: { origins } } }),
    mcp: {},
    routes: [
      {
        id: 'tell-story',
        method: 'POST',
        path: '/stories',
        target,
        mode: 'sse',
        conformance: 'enforce',
        mcp: { description: 'Tells a story.' },
      },
      { id: 'complete', method: 'POST', path: '/v1/completions', target, mode: 'sse' },
    ],
  })
  return { url, audit }
}
