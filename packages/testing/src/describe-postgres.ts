import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from './start-postgres.ts'
import { describeWith } from './test-with.ts'

/** Tests against their own PostgreSQL server. */
export function describePostgres(title: string, body: (server: () => PostgresServer) => void): void {
  describeWith(['initdb', 'postgres'], title, () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server?.close())
    body(() => {
      if (server === undefined) throw new Error('the server is not started')
      return server
    })
  })
}
