/** The name for a stream, which has no type in the profile. */
export const STREAMED = 'streamed'

/** The displayed name of an outcome. */
export function nameOutcome(outcome: string, isStream: boolean): string {
  return isStream && outcome === 'untyped_2xx' ? STREAMED : outcome
}
