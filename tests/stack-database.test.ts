import { createStore } from '@agentic-rest/service'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { expect, test } from 'vitest'
import { createSchemas, DatabaseError, schemaUrl } from '../examples/stack/src/databases.ts'

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

test('a database that cannot be reached is named', async () => {
  const failure = await createSchemas('postgres://127.0.0.1:9/none', ['campaigns']).catch((error) => error)
  expect(failure).toBeInstanceOf(DatabaseError)
  expect(failure.message).toMatch(/^the database in DATABASE_URL cannot be used: /)
})

test('existing options of the URL are kept', () => {
  expect(schemaUrl('postgres://u:p@db/x?sslmode=require&options=-c%20geqo%3Doff', 'inventory')).toBe(
    'postgres://u:p@db/x?sslmode=require&options=-c+geqo%3Doff+-c+search_path%3Dagentic_inventory',
  )
  expect(() => schemaUrl('nothing', 'inventory')).toThrow('DATABASE_URL is not a URL')
})
