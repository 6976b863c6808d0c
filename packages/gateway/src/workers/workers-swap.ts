import {
  type ConfigSwap,
  type ReloadResult,
  resultOf,
  type ValidConfig,
  WARM_MS,
} from '../lifetime/reload.ts'
import { settledWithin } from '../lifetime/turns.ts'
import { pinModules } from '../plugins/custom/import-module.ts'
import type { WorkerChannel } from './channel.ts'

/** The parts of a swap in all workers. */
export interface WorkersSwapParts {
  readonly pool: { readonly workers: Iterable<{ readonly channel: Pick<WorkerChannel, 'ask' | 'isClosed'> }> }
  /** Makes it the configuration of workers that start from now on. */
  readonly use: (loaded: ValidConfig) => void
}

const PREPARE_MS = WARM_MS + 10_000
const CONCLUDE_MS = 1000

/** Makes the swap of the configuration of all workers or none: each worker prepares it, and then all use it. */
export function createWorkersSwap({ pool, use }: WorkersSwapParts): ConfigSwap {
  let prepared: ValidConfig | undefined
  let unanswered: Promise<void> | undefined
  const conclude = async (result: ReloadResult) => {
    const told = [...pool.workers].map(({ channel }) => channel.ask('concludeReload', result))
    await settledWithin(CONCLUDE_MS, Promise.allSettled(told))
  }
  return {
    async prepare(loaded) {
      if (unanswered !== undefined) return ['a worker has not answered the reload before']
      const pinned = await pinModules(loaded)
      const { text, modules } = pinned
      const faults = new Set<string>()
      let answers = 0
      const asked = [...pool.workers].map(async ({ channel }) => {
        const found = await channel
          .ask('prepareReload', { text, modules })
          .catch(() => ['a worker failed to answer'])
        // A worker that has ended is replaced by one with the configuration that the others use.
        if (channel.isClosed) return
        answers += 1
        for (const fault of found) faults.add(fault)
      })
      unanswered = Promise.all(asked).then(() => {
        unanswered = undefined
      })
      await settledWithin(PREPARE_MS, unanswered)
      if (unanswered !== undefined) faults.add('a worker did not answer in time')
      else if (answers === 0) faults.add('no worker was there to try it')
      prepared = pinned
      return [...faults]
    },
    async apply() {
      if (prepared !== undefined) use(prepared)
      await conclude(resultOf([]))
      return []
    },
    discard: (faults) => conclude(resultOf(faults)),
  }
}
