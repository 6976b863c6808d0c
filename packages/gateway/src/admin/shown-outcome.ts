import type { Exchange } from '../exchange.ts'

/** Whether a request was answered as a stream. */
export function isStreamed({ slot }: Pick<Exchange, 'slot'>): boolean {
  return slot === 'taken'
}

/** How people are shown an outcome: the profile has no type for a stream that went well, and metrics call it untyped. */
export function shownOutcome(label: string, streamed: boolean): string {
  return streamed && label === 'untyped_2xx' ? 'streamed' : label
}
