import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type AuditEmitter,
  createService,
  defineOperation,
  type Log,
  type RunContext,
  success,
  type TrustOptions,
} from '@agentic-rest/service'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { type CompletionInput, completionInput } from './completion-input.ts'
import type { Model } from './model.ts'

/** The options of the app. */
export interface LlmAppOptions {
  readonly model: Model
  /** The gateway whose signed identities are believed; without it plain headers are. */
  readonly trust?: TrustOptions | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** The app and its `close`. */
export interface LlmApp {
  readonly app: Hono<{ Bindings: HttpBindings }>
  close(): Promise<void>
}

/** State shared by a request and its operation, because an outcome cannot contain a stream. */
interface Exchange {
  readonly acceptsStream: boolean
  /** Aborted when the caller of a stream disconnects. */
  readonly stop: AbortController
  frames: AsyncIterable<string | Uint8Array> | undefined
}

/**
 * Text completions. The SDK checks inputs, writes audit records and gives typed outcomes. For a stream, the frames of the
 * operation are sent instead of its success.
 */
export function createLlmApp({ model, trust, audit, log }: LlmAppOptions): LlmApp {
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
    ...(trust && { trust }),
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
  // `stream` in the body as in the OpenAI API; otherwise the Accept header as in the profile.
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
    // A broken stream must not look complete: the gateway reports it in a last frame (decision 26).
    async () => void context.env.outgoing.destroy(),
  )
}
