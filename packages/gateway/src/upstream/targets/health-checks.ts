import { ConnectionPool, type Origin } from '@agentic-rest/http1'
import { Semaphore } from '../../limits/shares/semaphore.ts'
import { lookUp } from '../http-client.ts'
import type { HealthOptions } from './target-state.ts'

/** Running checks of one target. */
export interface HealthChecks {
  close(): void
}

/** Checks a target at once and then regularly. Checks have a connection of their own: a busy target is not an ill one. */
export function startHealthChecks(
  origin: Origin,
  health: HealthOptions,
  onChecked: (hasPassed: boolean) => void,
): HealthChecks {
  const address = new URL(health.path, 'http://target')
  const connections = new ConnectionPool(origin, 1)
  const checking = { connections, permits: new Semaphore({ permits: 1, queue: 0 }) }
  const options = { method: 'GET', timeoutMs: health.timeout_ms, repeatLost: true } as const
  let isClosed = false
  let isRunning = false
  const check = async () => {
    // A check may last longer than the interval.
    if (isRunning) return
    isRunning = true
    const hasPassed = await lookUp(checking, address, options).then(
      ({ status }) => Math.floor(status / 100) === 2,
      () => false,
    )
    isRunning = false
    if (!isClosed) onChecked(hasPassed)
  }
  void check()
  const timer = setInterval(() => void check(), health.interval_seconds * 1000)
  timer.unref()
  return {
    close() {
      isClosed = true
      clearInterval(timer)
      connections.close()
    },
  }
}
