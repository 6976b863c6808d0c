import { type Client, createClient, type StreamEvent } from '@agentic-rest/client'
import { failedDependency } from '@agentic-rest/service'
import type { CompletionInput } from './completion-input.ts'
import type { Model } from './model.ts'

/** Where a model is that speaks the OpenAI API. */
export interface RemoteModelOptions {
  /** Such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Takes the place of the model that callers name. */
  readonly model?: string | undefined
}

// The first word of a large model may take its time.
const TIMEOUT_MS = 60_000

/** A model elsewhere. Callers' tokens stay here, and what it says about a failure is not passed on. */
export function createRemoteModel({ baseUrl, apiKey, model }: RemoteModelOptions): Model {
  const client = createClient({ baseUrl, token: apiKey, timeoutMs: TIMEOUT_MS })
  const requestFor = (input: CompletionInput, stream: boolean, signal: AbortSignal) => ({
    method: 'POST',
    path: '/completions',
    body: { ...input, stream, ...(model !== undefined && { model }) },
    signal,
  })
  return {
    async complete(input, signal) {
      const answer = await client.request(requestFor(input, false, signal)).catch(() => undefined)
      const body = answer?.type === 'success' ? answer.body : undefined
      return typeof body === 'object' && body !== null ? { ok: true, body } : unavailable
    },
    async stream(input, signal) {
      const events = client.stream(requestFor(input, true, signal))
      // Only the first event tells whether there is a stream at all; until then an outcome can still be the answer.
      const first = await events.next().catch(() => undefined)
      return first === undefined || first.done === true
        ? unavailable
        : { ok: true, frames: framesOf(first.value, events) }
    },
  }
}

const unavailable = {
  ok: false,
  outcome: failedDependency({ code: 'MODEL_UNAVAILABLE', message: 'The model gives no completion.' }),
} as const

type Events = ReturnType<Client['stream']>

// How a stream of the OpenAI API ends.
const LAST_DATA = '[DONE]'

/** A stream that stops early breaks off here too: ended in order, it would look complete. */
async function* framesOf(first: StreamEvent, events: Events) {
  let last = first.data
  yield frameOf(first)
  for await (const event of events) {
    last = event.data
    yield frameOf(event)
  }
  if (last !== LAST_DATA) throw new Error(`the stream of the model ended without ${LAST_DATA}`)
}

function frameOf({ data }: StreamEvent): string {
  return `data: ${data}\n\n`
}
