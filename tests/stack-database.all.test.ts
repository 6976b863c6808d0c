import { createStore } from '@agentic-rest/service'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { expect, test } from 'vitest'
import { createSchemas, schemaUrl } from '../examples/stack/src/databases.ts'

describePostgres('the database of the stack', (server) => {
  test('each part has its tables in a schema of its own, also when the schemas are there already', async () => {
    const url = await server().createDatabase()
    await createSchemas(url, ['campaigns', 'inventory'])
    await createSchemas(url, ['campaigns', 'inventory'])
    const [campaigns, inventory] = ['campaigns', 'inventory'].map((name) =>
      createStore({ url: schemaUrl(url, name) }),
    )
    await Promise.all([campaigns?.migrate(), inventory?.migrate()])
    const tables = await campaigns?.query<{ table_schema: string }>(
      `SELECT table_schema FROM information_schema.tables WHERE table_name = 'agentic_operations'`,
    )
    expect(tables?.map((row) => row.table_schema).toSorted()).toEqual([
      'agentic_campaigns',
      'agentic_inventory',
    ])
    await Promise.all([campaigns?.close(), inventory?.close()])
  })
})
