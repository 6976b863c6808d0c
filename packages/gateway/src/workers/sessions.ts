import type { SessionStore } from '../sessions/session-store.ts'
import type { SupervisorChannel } from './channel.ts'

/** Makes the sessions of a worker: the supervisor keeps them in memory for all workers. */
export function createWorkerSessions(supervisor: Pick<SupervisorChannel, 'ask'>): SessionStore {
  return {
    find: (id) => supervisor.ask('findSession', id),
    add: (id, session) => supervisor.ask('addSession', { id, session }),
    replace: (id, session) => supervisor.ask('replaceSession', { id, session }),
    end: (id) => supervisor.ask('endSession', id),
    endAll: (ended) => supervisor.ask('endSessions', ended),
    claim: (name, ms) => supervisor.ask('claimName', { name, ms }),
    // The supervisor reports it.
    count: () => ({ main: 0, admin: 0 }),
    isReachable: () => true,
    close: () => Promise.resolve(),
  }
}
