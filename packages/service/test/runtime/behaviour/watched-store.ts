import { expect } from 'vitest'
import type { Sql, Store } from '../../../src/runtime/store.ts'

/** A repeated statement of workers. */
export const statements = {
  /** Leases operations. */
  poll: /agentic_lease\(/,
  /** Renews the leases of a process. */
  renewal: /AS held SET available_at/,
  /** Stores an outcome without an effect in the store. */
  settlement: /SET state = \$5, outcome = \$6/,
} as const

/** A store that reports its statements and can fail. */
export interface WatchedStore extends Store {
  /** Resolves after this number of further statements. */
  answered(statement: RegExp, times: number): Promise<void>
  /** Makes the next statements fail with an error. */
  failNext(statement: RegExp, times: number, error: Error): void
}

/** Watches a store, so that tests wait for events and not for time. */
export function watchStore(store: Store): WatchedStore {
  const answers: string[] = []
  const failures: { statement: RegExp; times: number; error: Error }[] = []
  const watched = (sql: Sql): Sql => ({
    ...sql,
    async query(text, parameters) {
      const failure = failures.find(({ statement, times }) => times > 0 && statement.test(text))
      if (failure !== undefined) {
        failure.times -= 1
        throw failure.error
      }
      const rows = await sql.query(text, parameters)
      answers.push(text)
      return rows as never
    },
  })
  const count = (statement: RegExp) => answers.filter((text) => statement.test(text)).length
  return {
    ...store,
    ...watched(store),
    transaction: (work) => store.transaction((sql) => work(watched(sql))),
    async answered(statement, times) {
      const wanted = count(statement) + times
      await expect.poll(() => count(statement)).toBeGreaterThanOrEqual(wanted)
    },
    failNext: (statement, times, error) => void failures.push({ statement, times, error }),
  }
}
