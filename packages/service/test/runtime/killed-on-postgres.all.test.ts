import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { it } from 'vitest'
import { showKilledAtEachStep } from './behaviour/killed-behaviour.ts'

describePostgres('killed on PostgreSQL', (server) => {
  it('has one effect per key, operation and approval after a kill -9 before each statement and each commit', async () => {
    await showKilledAtEachStep({ url: await server().createDatabase() }, 'statements')
  })
})
