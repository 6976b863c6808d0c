/** SQL in the PostgreSQL dialect, with `$1` parameters. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]>
}

/** Where a service keeps what must survive it. The same SQL runs on PGlite, embedded, and on PostgreSQL. */
export interface Store extends Sql {
  /** Runs `work` in one transaction: all of it is kept or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Brings the tables of the runtime up to date; safe to call from several processes at once. */
  migrate(): Promise<void>
  close(): Promise<void>
}

/** In memory, in a folder, or in a PostgreSQL server. */
export type StoreOptions = { readonly memory: true } | { readonly folder: string } | { readonly url: string }
