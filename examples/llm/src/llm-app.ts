import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type AuditEmitter,
  createService,
  defineOperation,
  type Log,
  type RunContext,
  success,
} from '@agentic-rest/service'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { type CompletionInput, completionInput } from './completion-input.ts'
import type { Model } from './model.ts'

/** What the app is made of. */
export interface LlmAppOptions {
  readonly model: Model
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** The app, and how to end it. */
export interface LlmApp {
  readonly app: Hono<{ Bindings: HttpBindings }>
  close(): Promise<void>
}

/** What a request and its operation tell each other: an outcome cannot carry a stream. */
interface Exchange {
  readonly acceptsStream: boolean
  /** Aborted when the caller of a stream leaves. */
  readonly stop: AbortController
  frames: AsyncIterable<string | Uint8Array> | undefined
}

/**
 * Text completions. The SDK checks inputs, records and gives typed outcomes; where the caller wants a stream and gets
 * one, the frames that the operation has opened are sent in place of its success.
 */
export function createLlmApp({ model, audit, log }: LlmAppOptions): LlmApp {
  const exchanges = new AsyncLocalStorage<Exchange>()
  const complete = defineOperation({
    id: 'llm-completions',
    method: 'POST',
    path: '/llm/completions',
    summary: 'Continues a text.',
    input: completionInput,
    run: (context) => runCompletion(model, context, exchanges.getStore()),
  })
  const service = createService({
    operations: [complete],
    title: 'LLM stream',
    ...(audit && { audit }),
    ...(log && { log }),
  })
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.all('*', async function answer(context) {
    const exchange = openExchange(context.req.header('accept'))
    const outcome = await exchanges.run(exchange, () => service.fetch(context.req.raw))
    return exchange.frames === undefined ? outcome : sendFrames(context, exchange, exchange.frames)
  })
  return { app, close: () => service.close() }
}

async function runCompletion(
  model: Model,
  { input, signal }: RunContext<CompletionInput>,
  exchange: Exchange | undefined,
) {
  // The body says it as the OpenAI API has it; where it does not, the header says it as the profile has it.
  const wantsStream = input.stream ?? exchange?.acceptsStream ?? false
  if (exchange === undefined || !wantsStream) {
    const completed = await model.complete(input, signal)
    return completed.ok ? success(completed.body) : completed.outcome
  }
  const opened = await model.stream(input, AbortSignal.any([signal, exchange.stop.signal]))
  if (!opened.ok) return opened.outcome
  exchange.frames = opened.frames
  return success({})
}

function openExchange(accept = ''): Exchange {
  return {
    acceptsStream: accept.includes('text/event-stream'),
    stop: new AbortController(),
    frames: undefined,
  }
}

function sendFrames(
  context: Context<{ Bindings: HttpBindings }>,
  { stop }: Exchange,
  frames: AsyncIterable<string | Uint8Array>,
): Response {
  return streamSSE(
    context,
    async (stream) => {
      stream.onAbort(() => stop.abort())
      for await (const frame of frames) await stream.write(frame)
    },
    // A stream that breaks off must not look complete: the gateway tells the caller in a last frame (decision 26).
    async () => void context.env.outgoing.destroy(),
  )
}
