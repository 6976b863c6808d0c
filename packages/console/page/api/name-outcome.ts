/** A stream has no type of its own in the profile; people want to read that it was one. */
export const STREAMED = 'streamed'

/** The name of an outcome as the page shows it. */
export function nameOutcome(outcome: string, isStream: boolean): string {
  return isStream && outcome === 'untyped_2xx' ? STREAMED : outcome
}
