import type { Log, Store } from '@agentic-rest/service'
import { completeForgotten } from './optimization-table.ts'

const LOOK_MS = 2_000

/** Looks after optimizations of processes that died behind their answer; those of operations end with them. */
export interface Keeper {
  close(): Promise<void>
}

/** Starts to look, at once and then every other second. Several processes may do so at the same time. */
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
      // A store that is away is told of once.
      if (!isAway) log.warn('the optimizations cannot be looked after', { cause })
      isAway = true
    }
  }

  async function lookAfter(): Promise<void> {
    const completed = await completeForgotten(store)
    if (completed > 0) log.info('optimizations of a process that died were completed', { completed })
  }
}
