import { HeldKeys, heldKeyOf, type KeyStore, keyTimes } from '../idempotency/key-store.ts'
import type { SupervisorChannel } from './channel.ts'

/** Makes the idempotency keys of a worker: the supervisor keeps them in memory for all workers. */
export function createWorkerKeys(
  supervisor: Pick<SupervisorChannel, 'ask' | 'tell'>,
  { renewEveryMs } = keyTimes,
): KeyStore {
  const held = new HeldKeys(renewEveryMs, (keys) => supervisor.tell('renewKeys', keys))
  return {
    async claim(terms) {
      const key = heldKeyOf(terms)
      // A worker without a supervisor is going down, and refuses.
      const answer = await supervisor.ask('claimKey', { terms, held: key }).catch(() => undefined)
      if (answer === undefined) return { type: 'store_error', cause: 'SUPERVISOR_GONE' }
      const { verdict, dropped } = answer
      if (verdict.type === 'full') return { type: 'store_error', cause: 'FULL' }
      if (verdict.type !== 'claimed') return verdict
      held.add(key)
      return { type: 'claimed', held: key, dropped }
    },
    async settle(key, end) {
      held.remove(key)
      await supervisor.ask('settleKey', { held: key, end }).catch(() => undefined)
    },
    isReachable: () => true,
    async close() {
      held.close()
    },
  }
}
