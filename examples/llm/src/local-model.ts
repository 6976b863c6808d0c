import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type CompletionHead, completionBody, usageBody } from './completion.ts'
import type { CompletionInput } from './completion-input.ts'
import { writeLocalText } from './local-text.ts'
import type { Model } from './model.ts'

/** The options of the local model. */
export interface LocalModelOptions {
  /** The pause between words. A small local model takes about 20. */
  readonly frameMs: number
}

/** A stand-in for a model. Its text depends only on the prompt. */
export function createLocalModel({ frameMs }: LocalModelOptions): Model {
  return {
    async complete(input) {
      const { pieces, finishReason, usage } = writeLocalText(input)
      return { ok: true, body: { ...completionBody(headOf(input), pieces.join(''), finishReason), usage } }
    },
    async stream(input, signal) {
      return { ok: true, frames: localFrames(input, frameMs, signal) }
    },
  }
}

async function* localFrames(input: CompletionInput, frameMs: number, signal: AbortSignal) {
  const { pieces, finishReason, usage } = writeLocalText(input)
  const head = headOf(input)
  // A stop text at the start leaves no word, but the reason must still be sent.
  const shown = pieces.length === 0 ? [''] : pieces
  for (const [index, piece] of shown.entries()) {
    const isLast = index === shown.length - 1
    yield dataFrame(completionBody(head, piece, isLast ? finishReason : null))
    await pause(frameMs, undefined, { signal })
  }
  if (input.stream_options?.include_usage) yield dataFrame(usageBody(head, usage))
  yield 'data: [DONE]\n\n'
}

function headOf({ model }: CompletionInput): CompletionHead {
  return { id: `cmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model }
}

function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
