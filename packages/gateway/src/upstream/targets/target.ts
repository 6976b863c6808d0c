import type { Origin } from '@agentic-rest/http1'
import type { SemaphoreLimits } from '../../limits/shares/semaphore.ts'
import type { Log } from '../../log.ts'
import { createPool, type UpstreamTarget } from '../upstream-pool.ts'
import { startHealthChecks } from './health-checks.ts'
import { type HealthOptions, TargetState } from './target-state.ts'

/** The address of a target. */
export interface TargetAddress {
  /** The address for operators, and its identity within the upstream. */
  readonly url: string
  readonly weight: number
  /** The origin that signed identities are made for. */
  readonly audience: string
  readonly basePath: string
  /** Makes the origin; certificates are parsed here. */
  readonly open: () => Origin
}

/** One target of an upstream: its connections, its queue and its state. */
export interface Target extends UpstreamTarget {
  readonly url: string
  readonly state: TargetState
  /** Ends its checks and closes its connections, busy or idle. */
  close(): void
}

/** The options of a target. */
export interface TargetOptions {
  /** The name of its upstream. */
  readonly upstream: string
  readonly bounds: SemaphoreLimits
  readonly health: HealthOptions | undefined
  readonly log: Log
}

/** Opens a target and starts its checks. */
export function createTarget(address: TargetAddress, options: TargetOptions): Target {
  const { upstream, bounds, health, log } = options
  const { url, audience, basePath } = address
  const origin = address.open()
  const state = new TargetState()
  const pool = createPool(origin, upstream, bounds)
  const checks =
    health &&
    startHealthChecks(origin, health, (hasPassed) => {
      if (!state.checked(hasPassed, health, performance.now())) return
      if (hasPassed) log.info('a target is back: its checks pass', { upstream, target: url })
      else log.warn('a target is out: its checks fail', { upstream, target: url })
    })
  return {
    url,
    state,
    pool,
    origin: audience,
    basePath,
    close() {
      checks?.close()
      pool.close()
    },
  }
}
