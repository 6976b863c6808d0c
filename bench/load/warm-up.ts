import type { LoadResult } from './wrk.ts'

/**
 * Code is compiled while it runs, and the larger a program is, the longer that takes: by time alone the fastest would
 * be the warmest. It ends after so many requests, or after three rounds' time where they are slow.
 */
const WARM_UP_REQUESTS = 60_000
const MAX_ROUNDS = 3

/** Sends requests, a second at a time, until a program is warm. */
export async function warmUp(
  send: (seconds: number) => Promise<Pick<LoadResult, 'requests'>>,
  secondsPerRound: number,
  wanted = WARM_UP_REQUESTS,
): Promise<void> {
  let sent = 0
  for (let second = 0; sent < wanted && second < MAX_ROUNDS * secondsPerRound; second += 1)
    sent += (await send(1)).requests
}
