import type { Log, Store } from '@agentic-rest/service'
import { completeForgotten } from './optimization-table.ts'

const LOOK_MS = 2_000

/** Completes optimizations of processes that died after their answer. Those of operations end with the operation. */
export interface Keeper {
  close(): Promise<void>
}

/** Starts the keeper, which looks at once and then every two seconds. Several processes may run one. */
export function startKeeper(store: Store, log: Pick<Log, 'info' | 'warn'>): Keeper {
  let isAway = false
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, LOOK_MS)
  return {
    async close() {
      clearInterval(timer)
      await looking
    },
  }

  async function look(): Promise<void> {
    try {
      await lookAfter()
      isAway = false
    } catch (cause) {
      // An unavailable store is logged once.
      if (!isAway) log.warn('the optimizations cannot be looked after', { cause })
      isAway = true
    }
  }

  async function lookAfter(): Promise<void> {
    const completed = await completeForgotten(store)
    if (completed > 0) log.info('optimizations of a process that died were completed', { completed })
  }
}
