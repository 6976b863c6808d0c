import type { Outcome } from '@agentic-rest/service'
import type { CompletionBody } from './completion.ts'
import type { CompletionInput } from './completion-input.ts'

/** A complete completion, or an outcome with the reason why there is none. */
export type Completed =
  | { readonly ok: true; readonly body: CompletionBody | object }
  | { readonly ok: false; readonly outcome: Outcome }

/** The frames of a completion, or an outcome with the reason why there are none. */
export type Opened =
  | { readonly ok: true; readonly frames: AsyncIterable<string | Uint8Array> }
  | { readonly ok: false; readonly outcome: Outcome }

/** A model. The signal aborts both methods. */
export interface Model {
  complete(input: CompletionInput, signal: AbortSignal): Promise<Completed>
  stream(input: CompletionInput, signal: AbortSignal): Promise<Opened>
}
