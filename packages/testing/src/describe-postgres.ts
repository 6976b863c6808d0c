import { afterAll, beforeAll } from 'vitest'
import { sharedPart } from './shared-parts.ts'
import { createDatabase, type PostgresServer, startPostgres } from './start-postgres.ts'
import { describeWith } from './test-with.ts'

const programs = ['initdb', 'postgres'] as const

/** Databases on the one PostgreSQL server of all tests. */
export interface PostgresDatabases {
  /** The URL of a database of this group of tests. */
  readonly url: string
  /** Creates another database; resolves with its URL. */
  createDatabase(): Promise<string>
}

/** Tests on PostgreSQL, with a database of their own. */
export function describePostgres(title: string, body: (databases: () => PostgresDatabases) => void): void {
  describeStarted(title, body, async () => {
    const server = await sharedPart('postgres')
    return { url: await createDatabase(server), createDatabase: () => createDatabase(server) }
  })
}

/** Tests with a PostgreSQL server of their own, which they stop, pause or crash. */
export function describeOwnPostgres(title: string, body: (server: () => PostgresServer) => void): void {
  let started: PostgresServer | undefined
  describeStarted(
    title,
    (server: () => PostgresServer) => {
      afterAll(() => started?.close())
      body(server)
    },
    async () => {
      started = await startPostgres()
      return started
    },
  )
}

function describeStarted<T>(title: string, body: (started: () => T) => void, start: () => Promise<T>): void {
  describeWith(programs, title, () => {
    let started: { readonly value: T } | undefined
    beforeAll(async () => {
      started = { value: await start() }
    })
    body(() => {
      if (started === undefined) throw new Error('the server is not started')
      return started.value
    })
  })
}
