import type { UpstreamConfig } from '../../config/config-schema.ts'

/** How a request at a target ended; the label `result` in metrics. */
export type TargetResult = 'answered' | 'server_error' | 'unavailable' | 'timeout' | 'cancelled'

/** The rules of ejection. */
export type EjectOptions = UpstreamConfig['eject']
/** The rules of the checks. */
export type HealthOptions = NonNullable<UpstreamConfig['health']>

/** Why a target gets requests, or none. */
export type TargetCondition = 'up' | 'starting' | 'ejected' | 'unhealthy'

/** Whether a target in this condition gets no requests. */
export function isOut(condition: TargetCondition): boolean {
  return condition === 'ejected' || condition === 'unhealthy'
}

/** A target that comes back gets its full share after this time: its caches and connections are cold. */
export const SLOW_START_MS = 10_000
const SMALLEST_SHARE = 0.1

/** The memory of one target: checks, failures and the time it is out. Times are those of `performance.now()`. */
export class TargetState {
  /** Requests that were given to it and have not ended. */
  active = 0
  private isHealthy = true
  private healthySince = Number.NEGATIVE_INFINITY
  /** The end of the last ejection, which is also the moment it came back. */
  private ejectedUntil = Number.NEGATIVE_INFINITY
  private failures = 0
  private passedChecks = 0
  private failedChecks = 0
  /** Passed checks may end the ejection early: they would have seen its cause. */
  private endsByChecks = false

  /** Neither ejected nor unhealthy. */
  isOpen(now: number): boolean {
    return this.isHealthy && now >= this.ejectedUntil
  }

  /** The part of its weight that it gets: less than 1 only while it starts. */
  share(now: number): number {
    const since = Math.max(this.healthySince, this.ejectedUntil)
    if (now - since >= SLOW_START_MS) return 1
    return Math.max(SMALLEST_SHARE, (now - since) / SLOW_START_MS)
  }

  condition(now: number): TargetCondition {
    if (!this.isHealthy) return 'unhealthy'
    if (now < this.ejectedUntil) return 'ejected'
    return this.share(now) < 1 ? 'starting' : 'up'
  }

  /** When an ejection ends; undefined while it is unhealthy or open. */
  reopensAt(now: number): number | undefined {
    return this.isHealthy && now < this.ejectedUntil ? this.ejectedUntil : undefined
  }

  /** Counts the end of a request; whether too many failed in a row. A cancelled request says nothing about it. */
  isFailing(result: TargetResult, { consecutive_failures }: EjectOptions): boolean {
    switch (result) {
      case 'answered':
        this.failures = 0
        return false
      case 'cancelled':
        return false
      case 'server_error':
      case 'unavailable':
      case 'timeout':
        this.failures += 1
        return this.failures >= consecutive_failures
    }
  }

  /** Takes the target out. The first failure after its return takes it out again. */
  eject(result: TargetResult, { consecutive_failures, seconds }: EjectOptions, now: number): void {
    this.ejectedUntil = now + seconds * 1000
    this.failures = consecutive_failures - 1
    this.passedChecks = 0
    this.endsByChecks = result === 'unavailable' || this.failedChecks > 0
  }

  /** Counts a check; whether it changed the state. */
  checked(hasPassed: boolean, { healthy_after, unhealthy_after }: HealthOptions, now: number): boolean {
    return hasPassed ? this.passed(healthy_after, now) : this.failed(unhealthy_after)
  }

  private passed(healthyAfter: number, now: number): boolean {
    this.failedChecks = 0
    this.passedChecks += 1
    if (this.passedChecks < healthyAfter) return false
    const isBack = !this.isHealthy
    if (isBack) {
      this.isHealthy = true
      this.healthySince = now
    }
    if (now >= this.ejectedUntil || !(isBack || this.endsByChecks)) return isBack
    this.ejectedUntil = now
    return true
  }

  private failed(unhealthyAfter: number): boolean {
    this.passedChecks = 0
    this.failedChecks += 1
    this.endsByChecks = true
    if (!this.isHealthy || this.failedChecks < unhealthyAfter) return false
    this.isHealthy = false
    return true
  }
}
