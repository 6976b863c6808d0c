import { type Client, createClient, type StreamEvent } from '@agentic-rest/client'
import { failedDependency } from '@agentic-rest/service'
import type { CompletionInput } from './completion-input.ts'
import type { Model } from './model.ts'

/** The address of a model with the OpenAI API. */
export interface RemoteModelOptions {
  /** For example `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Replaces the model named by callers. */
  readonly model?: string | undefined
}

// The first word of a large model may take long.
const TIMEOUT_MS = 60_000

/** A remote model. Tokens of callers and its error texts are not forwarded. */
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
      // Waits for the first event: before it, the answer can still be an outcome.
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

// The last frame of a stream in the OpenAI API.
const LAST_DATA = '[DONE]'

/** Breaks off a stream that stopped early; a normal end would make it look complete. */
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
