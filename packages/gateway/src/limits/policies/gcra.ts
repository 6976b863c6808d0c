/**
 * A rate of requests for the generic cell rate algorithm: one number per key, the theoretical arrival time `tat`. All times
 * are whole microseconds of one clock.
 */
export interface Rate {
  /** The time between two requests of a steady caller. */
  readonly intervalUs: number
  /** The requests that may come at one moment. */
  readonly burst: number
}

/** The default burst is a tenth of the requests. */
const BURST_SHARE = 10
const MICROSECONDS = 1_000_000

/** The rate of `requests` in `perSeconds`. The interval is rounded up: a caller gets no request more than the limit says. */
export function rateOf(
  requests: number,
  perSeconds: number,
  burst = Math.max(1, Math.floor(requests / BURST_SHARE)),
): Rate {
  return { intervalUs: Math.ceil((perSeconds * MICROSECONDS) / requests), burst }
}

/**
 * How far a key is ahead of its rate: 0 for an unused one, at most a full burst. A clock that was set back, and a burst that
 * was lowered, would otherwise lock the key for as long as they changed. A refusal stores `nowUs` plus this backlog, so
 * that a clamped key goes on from there.
 */
export function backlogOf({ intervalUs, burst }: Rate, tat: number | undefined, nowUs: number): number {
  if (tat === undefined || tat <= nowUs) return 0
  return Math.min(tat - nowUs, burst * intervalUs)
}

/** The time until a request passes: 0 when it passes now. */
export function waitOf({ intervalUs, burst }: Rate, backlogUs: number): number {
  return Math.max(0, backlogUs - (burst - 1) * intervalUs)
}

/** The requests that pass now. */
export function leftOf({ intervalUs, burst }: Rate, backlogUs: number): number {
  return Math.floor((burst * intervalUs - backlogUs) / intervalUs)
}

/** The `tat` after one more request. */
export function nextTat({ intervalUs }: Rate, backlogUs: number, nowUs: number): number {
  return nowUs + backlogUs + intervalUs
}
