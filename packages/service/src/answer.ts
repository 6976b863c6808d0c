import type { Outcome } from '@agentic-rest/profile'

/** An outcome with the headers that belong to it. */
export interface Answer {
  readonly outcome: Outcome
  readonly headers: Readonly<Record<string, string>>
}

/** The result of a step of a request: a value for the next step, or the answer that ends it here. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: Answer }

/** The request goes on with a value. */
export function goOn<Value>(value: Value): Step<Value> {
  return { ok: true, value }
}

/** The request ends with an outcome. */
export function endWith(outcome: Outcome, headers: Answer['headers'] = {}): Step<never> {
  return { ok: false, answer: { outcome, headers } }
}
