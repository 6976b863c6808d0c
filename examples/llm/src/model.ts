import type { Outcome } from '@agentic-rest/service'
import type { CompletionBody } from './completion.ts'
import type { CompletionInput } from './completion-input.ts'

/** A whole completion, or the outcome that says why there is none. */
export type Completed =
  | { readonly ok: true; readonly body: CompletionBody | object }
  | { readonly ok: false; readonly outcome: Outcome }

/** The frames of a completion as they go over the wire, or the outcome that says why there are none. */
export type Opened =
  | { readonly ok: true; readonly frames: AsyncIterable<string | Uint8Array> }
  | { readonly ok: false; readonly outcome: Outcome }

/** Something that completes texts. Both ends when the signal says so. */
export interface Model {
  complete(input: CompletionInput, signal: AbortSignal): Promise<Completed>
  stream(input: CompletionInput, signal: AbortSignal): Promise<Opened>
}
