import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgres } from './postgres-binaries.ts'
import { type PostgresServer, startPostgres } from './start-postgres.ts'

/** Tests against their own PostgreSQL server. Without one they are skipped by name; in CI they fail. */
export function describePostgres(title: string, body: (server: () => PostgresServer) => void): void {
  const binaries = findPostgres()
  if ('missing' in binaries) {
    refuse(title, binaries.missing)
    return
  }
  describe(title, () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await startPostgres(binaries)
    })
    afterAll(() => server?.close())
    body(() => {
      if (server === undefined) throw new Error('the server is not started')
      return server
    })
  })
}

function refuse(title: string, missing: string): void {
  if (['true', '1'].includes(process.env['CI'] ?? '')) {
    test(title, () => expect.fail(missing))
    return
  }
  // The reporter lists skipped tests only if others fail.
  process.stderr.write(`skipped: ${title} (${missing})\n`)
  test.skip(`${title} (${missing})`, () => undefined)
}
