/** SQL in the PostgreSQL dialect, with `$1` parameters; JSON is passed as text. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]>
  /** In a transaction: called once when it has been committed, never when it was rolled back. */
  readonly afterCommit?: (hook: () => void) => void
}

/** Where a service keeps what must survive it. The same SQL runs on PGlite, embedded, and on PostgreSQL. */
export interface Store extends Sql {
  /** Runs `work` in one transaction: all of it is kept or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Brings the tables of the runtime up to date; safe to call from several processes at once. */
  migrate(): Promise<void>
  close(): Promise<void>
}

/** In memory, in a folder, or in a PostgreSQL server (`connections` at most, 10 unless set). */
export type StoreOptions =
  | { readonly memory: true }
  | { readonly folder: string }
  | { readonly url: string; readonly connections?: number }
