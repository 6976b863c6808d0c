import { expect, test } from 'vitest'
import { createSchemas, DatabaseError, schemaUrl } from '../examples/stack/src/databases.ts'

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
