import type { Log, Store } from '@agentic-rest/service'
import { completeForgotten, failForsaken } from './optimization-table.ts'

const LOOK_MS = 2_000
/** Longer than the runtime takes to begin again: its lease and its longest pause. */
const FORSAKEN_SECONDS = 30

/** Looks after optimizations that nobody works on any more, so that none stays as it is for ever. */
export interface Keeper {
  close(): Promise<void>
}

/** Starts to look, at once and then every other second. Several processes may do so at the same time. */
export function startKeeper(store: Store, log: Pick<Log, 'info' | 'warn'>): Keeper {
  const since = performance.now()
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
    // After a long standstill of the whole service its operations come back first.
    if (performance.now() - since < FORSAKEN_SECONDS * 1000) return
    const failed = await failForsaken(store, FORSAKEN_SECONDS)
    if (failed > 0) log.warn('optimizations that nobody works on were given up', { failed })
  }
}
