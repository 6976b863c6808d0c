import {
  type AuditEmitter,
  createService,
  defineOperation,
  type Log,
  raw,
  type Service,
  success,
  type TrustOptions,
} from '@agentic-rest/service'
import { z } from 'zod'
import { completionInput } from './completion-input.ts'
import type { Model } from './model.ts'

/** The options of the service. */
export interface LlmServiceOptions {
  readonly model: Model
  /** The gateway whose signed identities are believed; without it plain headers are. */
  readonly trust?: TrustOptions | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/**
 * Text completions. The SDK checks inputs, writes audit records and gives typed outcomes. A stream has the format of the
 * OpenAI API, with `[DONE]` at its end, so it is passed on as it is.
 */
export function createLlmService({ model, trust, audit, log }: LlmServiceOptions): Service {
  const complete = defineOperation({
    id: 'llm-completions',
    method: 'POST',
    path: '/llm/completions',
    summary: 'Continues a text.',
    input: completionInput,
    event: z.string().describe('A completion of the OpenAI API as JSON, or `[DONE]`.'),
    async run({ input, signal, acceptsStream }) {
      // `stream` in the body as in the OpenAI API; otherwise the Accept header as in the profile.
      if (!(input.stream ?? acceptsStream)) {
        const completed = await model.complete(input, signal)
        return completed.ok ? success(completed.body) : completed.outcome
      }
      const opened = await model.stream(input, signal)
      return opened.ok ? raw(opened.frames) : opened.outcome
    },
  })
  return createService({
    operations: [complete],
    title: 'LLM stream',
    ...(trust && { trust }),
    ...(audit && { audit }),
    ...(log && { log }),
  })
}
