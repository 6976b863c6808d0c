import { createStore, type Store } from '@agentic-rest/service'
import { createEffects } from '../../packages/service/test/runtime/behaviour/effects.ts'
import { findPostgres } from '../../packages/service/test/runtime/harness/postgres-binaries.ts'
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/service/test/runtime/harness/postgres-server.ts'
import { MissingProgramError } from '../required-program.ts'

/** A PostgreSQL server of one run, with a database in which effects are counted. */
export interface EffectsDatabase {
  readonly server: PostgresServer
  readonly url: string
  readonly store: Store
  close(): Promise<void>
}

/** How many effects there are, and how many different ones. */
export interface EffectCount {
  readonly all: number
  readonly different: number
}

/** Starts a server. It ends the session of a process that is stopped inside a transaction after so long. */
export async function openEffectsDatabase(idleMs: number): Promise<EffectsDatabase> {
  const binaries = findPostgres()
  if ('missing' in binaries) throw new MissingProgramError(binaries.missing)
  const server = await startPostgres(binaries)
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
