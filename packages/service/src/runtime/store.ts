/** SQL in the PostgreSQL dialect, with `$1` parameters; JSON is passed as text. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]>
  /** In a transaction: called once when it has been committed, never when it was rolled back. */
  readonly afterCommit?: (hook: () => void) => void
}

/** One step of a service's own tables. A step that was released is never changed; the next one changes the tables. */
export interface MigrationStep {
  readonly name: string
  apply(sql: Sql): Promise<void>
}

/** The tables that a service has beside those of the runtime, in the same store. */
export interface OwnTables {
  /** Whose they are: services that share a store have different names. */
  readonly owner: string
  /** Oldest first; each is applied once, all that are missing in one transaction. */
  readonly steps: readonly MigrationStep[]
}

/** Where a service keeps what must survive it. The same SQL runs on PGlite, embedded, and on PostgreSQL. */
export interface Store extends Sql {
  /** Runs `work` in one transaction: all of it is kept or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Brings the tables of the runtime up to date, and then those of the service; safe to call from several processes at once. */
  migrate(own?: OwnTables): Promise<void>
  close(): Promise<void>
}

/** In memory, in a folder, or in a PostgreSQL server (`connections` at most, 10 unless set). */
export type StoreOptions =
  | { readonly memory: true }
  | { readonly folder: string }
  | { readonly url: string; readonly connections?: number }
