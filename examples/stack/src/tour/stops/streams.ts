import { parseJson, StreamError } from '@agentic-rest/client'
import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../guide.ts'

const completions = { method: 'POST', path: '/llm/completions' } as const
const STREAMS_PER_TENANT = 10

/** A stream comes word by word. */
export const stream = defineStop({
  title: 'A stream arrives word by word',
  why: 'The route has mode sse and the request asks for an event stream: the gateway forwards each frame at once.',
  async run(guide) {
    const question = { ...completions, as: 'alice', body: { prompt: 'Hello', max_tokens: 12 } }
    guide.showRequest(question)
    const words: string[] = []
    const times = new Set<number>()
    for await (const { data } of guide.client(question).stream(question)) {
      if (data === '[DONE]') break
      words.push(Object(parseJson(data).value).choices[0]?.text ?? '')
      times.add(Math.floor(performance.now()))
    }
    guide.say(words.join(''))
    // Another model may stop earlier, and may send no text in its last frame.
    const count = words.filter((word) => word !== '').length
    demand(count > 1 && count <= 12, `there have to be at most 12 words, and there are ${count}`)
    demand(times.size > 1, 'the words have to come one after the other')
  },
})

/** The limit of streams is per tenant. */
export const tooManyStreams = defineStop({
  title: 'The limit of streams is per tenant',
  why: `acme may hold ${STREAMS_PER_TENANT} streams open. The next one is refused with a time to retry. globex has its own limit.`,
  async run(guide) {
    const open = await Promise.all(
      Array.from({ length: STREAMS_PER_TENANT }, () => openStream(guide, 'alice')),
    )
    try {
      guide.say(`${open.length} streams of acme are open`)
      const refused = await openStream(guide, 'bob').catch(outcomeOf)
      demand('outcome' in refused, 'one more stream of acme has to be refused')
      guide.say(`one more: ${refused.outcome.answer.status} ${refused.outcome.code}`)
      demand(refused.outcome.code === 'LIMIT_EXCEEDED', `the code has to be LIMIT_EXCEEDED`)
      const other = await openStream(guide, 'carol')
      await other.close()
      guide.say('one of globex: open')
    } finally {
      await Promise.all(open.map(({ close }) => close()))
    }
  },
})

interface OpenStream {
  close(): Promise<void>
}

/** Opens a stream and waits for its first word. */
async function openStream(guide: Guide, as: string): Promise<OpenStream> {
  const question = { ...completions, as, body: { prompt: 'Hello', max_tokens: 1000 } }
  const events = guide.client({ as }).stream(question)
  await events.next()
  return {
    close: async () => void (await events.return()),
  }
}

function outcomeOf(error: unknown) {
  if (!(error instanceof StreamError) || !('code' in error.outcome)) throw error
  return { outcome: error.outcome }
}
