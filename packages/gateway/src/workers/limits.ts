import { type LimitStore, unavailable } from '../limits/policies/limit-store.ts'
import type { SupervisorChannel } from './channel.ts'

/** Makes the limits of a worker: the supervisor counts for all workers, so that every limit is exact. */
export function createWorkerLimits(supervisor: Pick<SupervisorChannel, 'ask' | 'tell'>): LimitStore {
  return {
    // A worker without a supervisor is going down, and refuses.
    decide: (demands) =>
      supervisor.ask('decideLimits', demands).catch(() => unavailable(demands, 0, 'SUPERVISOR_GONE')),
    settle: (settlements) => supervisor.tell('settleLimits', settlements),
    peek: (demands) => supervisor.ask('peekLimits', demands),
    // The supervisor reports both.
    budgetUse: () => [],
    scope: () => 'shared',
    close: () => Promise.resolve(),
  }
}
