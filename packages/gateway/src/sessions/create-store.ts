import type { GatewaySection } from '../config/config-schema.ts'
import type { Log } from '../log.ts'
import { RedisSessions } from './redis-sessions.ts'
import { createDropReport, MemorySessions, type SessionStore } from './session-store.ts'

/** What the store of a configuration is made with. */
export interface SessionWorld extends Pick<GatewaySection, 'shared'> {
  readonly log: Log
}

/** Makes the store of a configuration: shared with other gateways, or in this process alone. */
export function createSessionStore({ shared, log }: SessionWorld): SessionStore {
  const onDropped = createDropReport(log)
  return shared === undefined
    ? new MemorySessions({ onDropped })
    : new RedisSessions({ shared, log, onDropped })
}
