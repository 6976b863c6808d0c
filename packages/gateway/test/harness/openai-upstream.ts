import type { ServerResponse } from 'node:http'
import {
  answerJson,
  type ReceivedRequest,
  startUpstream,
  type TestUpstream,
} from '@agentic-rest/testing/start-upstream'

/** The parts of a request body that the upstream looks at. */
interface Asked {
  readonly model: string
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
}

/** The answer of a model. */
export interface ModelAnswer {
  /** Sent as it is: chat and responses have different names for the same counts. */
  readonly usage?: unknown
  readonly words?: readonly string[]
  readonly status?: number
  /** Sends one word of a stream and no more. */
  readonly holds?: boolean
  /** Writes usage into every chunk of a stream. */
  readonly continuous?: boolean
}

/** Starts a small OpenAI: chat and responses, whole and streamed, and embeddings. It reports what a test wants. */
export function startOpenAi(answer: (request: ReceivedRequest) => ModelAnswer): Promise<TestUpstream> {
  return startUpstream((request, response) => {
    const asked = JSON.parse(request.body.toString()) as Asked
    const given = answer(request)
    if (given.status !== undefined)
      answerJson(response, { status: given.status, body: { error: { message: 'no' } } })
    else if (request.url.endsWith('/responses')) sendResponse(response, asked, given)
    else if (asked.stream === true) sendChunks(response, asked, given)
    else
      answerJson(response, { body: { ...body(request.url, given), model: asked.model, usage: given.usage } })
  })
}

const WORDS = ['Hello', ' "usage": {"prompt_tokens": 1, "completion_tokens": 1}', ' there']

function body(url: string, { words = WORDS }: ModelAnswer): object {
  if (url.endsWith('/embeddings'))
    return { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }] }
  const message = { role: 'assistant', content: words.join('') }
  return { id: 'c-1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }
}

/** As OpenAI does it: with `include_usage` each chunk has `usage: null` and one more chunk has the report. */
function sendChunks(
  response: ServerResponse,
  { model, stream_options }: Asked,
  { usage, words = WORDS, holds = false, continuous = false }: ModelAnswer,
): void {
  const isAsked = stream_options?.include_usage === true
  const chunk = (choices: readonly unknown[], counts: unknown) =>
    event({ id: 'c-1', object: 'chat.completion.chunk', model, choices, ...(isAsked && { usage: counts }) })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of words) {
    response.write(chunk([{ index: 0, delta: { content } }], continuous ? usage : null))
    if (holds) return
  }
  response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], null))
  if (isAsked) response.write(chunk([], usage))
  response.end('data: [DONE]\n\n')
}

function sendResponse(
  response: ServerResponse,
  { model, stream }: Asked,
  { usage, words = WORDS }: ModelAnswer,
): void {
  const content = [{ type: 'output_text', text: words.join(''), annotations: [] }]
  const output = [{ type: 'message', id: 'm-1', role: 'assistant', status: 'completed', content }]
  const whole = { id: 'r-1', object: 'response', model, status: 'completed', output, usage }
  if (stream !== true) {
    answerJson(response, { status: 200, body: whole })
    return
  }
  const named = (value: { readonly type: string }) => `event: ${value.type}\n${event(value)}`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(named({ type: 'response.created', ...{ response: { ...whole, output: [], usage: null } } }))
  for (const delta of words)
    response.write(named({ type: 'response.output_text.delta', ...{ item_id: 'm-1', delta } }))
  response.end(named({ type: 'response.completed', ...{ response: whole } }))
}

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
