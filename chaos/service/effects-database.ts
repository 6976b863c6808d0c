import { createStore, type Store } from '@agentic-rest/service'
import { type PostgresServer, startPostgres } from '@agentic-rest/testing/start-postgres'
import { createEffects } from '../../packages/service/test/runtime/behaviour/effects.ts'

/** The PostgreSQL server of one run, with a database for counting effects. */
export interface EffectsDatabase {
  readonly server: PostgresServer
  readonly url: string
  readonly store: Store
  close(): Promise<void>
}

/** The number of effects and of different effects. */
export interface EffectCount {
  readonly all: number
  readonly different: number
}

/** Starts a server. It ends sessions that are idle in a transaction for the given time. */
export async function openEffectsDatabase(idleMs: number): Promise<EffectsDatabase> {
  const server = await startPostgres()
  const url = `${await server.createDatabase()}?idle_in_transaction_session_timeout=${idleMs}`
  const store = createStore({ url })
  await store.migrate()
  await createEffects(store)
  return {
    server,
    url,
    store,
    async close() {
      await store.close()
      await server.close()
    },
  }
}

/** Counts the effects. */
export async function countEffects(store: Store): Promise<EffectCount> {
  const [row] = await store.query<EffectCount>(
    'SELECT count(*)::int AS all, count(DISTINCT name)::int AS different FROM effects',
  )
  return row ?? { all: Number.NaN, different: Number.NaN }
}
