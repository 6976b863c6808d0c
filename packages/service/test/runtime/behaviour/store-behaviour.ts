import { describe, expect, it } from 'vitest'
import type { Sql } from '../../../src/runtime/store.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** The behaviour of every kind of store. */
export function describeStore(store: StoreUnderTest): void {
  describe('store', () => {
    describeTransactions(store)
    describeMistakes(store)

    it('gives the same values for the same query', async () => {
      const [row] = await store().query(
        `SELECT 5::int8 AS small, 9007199254740993::int8 AS large, 1.50::numeric AS fraction, 1.5::float8 AS float,
          true AS flag, null AS nothing, '{"b":1,"a":[2]}'::json AS json, '{"a":1}'::jsonb AS jsonb,
          array['a', 'b'] AS texts, array[1, 2]::int8[] AS numbers, '\\x0102'::bytea AS bytes,
          date '2024-05-06' AS day, timestamp '2024-05-06 01:02:03.5' AS local,
          timestamptz '2024-05-06 01:02:03+02' AS moment, interval '90 minutes' AS duration`,
      )
      expect(row).toEqual({
        small: 5,
        large: 9007199254740993n,
        fraction: '1.50',
        float: 1.5,
        flag: true,
        nothing: null,
        json: { b: 1, a: [2] },
        jsonb: { a: 1 },
        texts: ['a', 'b'],
        numbers: [1, 2],
        bytes: new Uint8Array([1, 2]),
        day: new Date('2024-05-06T00:00:00Z'),
        local: new Date('2024-05-06T01:02:03.500Z'),
        moment: new Date('2024-05-05T23:02:03Z'),
        duration: '01:30:00',
      })
    })

    it('takes the same parameters', async () => {
      const moment = new Date('2024-05-06T01:02:03.004Z')
      const [row] = await store().query(
        'SELECT $1::text AS a, $2::text[] AS b, $3::bigint AS c, $4::timestamptz AS d, $5::boolean AS e, $6::json AS f',
        ["it's", ['x', '{"y"}', ''], '12', moment, false, '{"z":[1]}'],
      )
      expect(row).toEqual({ a: "it's", b: ['x', '{"y"}', ''], c: 12, d: moment, e: false, f: { z: [1] } })
    })

    it('is migrated by any number of callers at once, and again without effect', async () => {
      await Promise.all(Array.from({ length: 5 }, () => store().migrate()))
      const rows = await store().query('SELECT version, name FROM agentic_migrations ORDER BY version')
      expect(rows).toEqual([
        { version: 1, name: 'idempotency keys' },
        { version: 2, name: 'operations' },
        { version: 3, name: 'approvals' },
        { version: 4, name: 'reservations of approvals' },
        { version: 5, name: 'steps of the tables of services' },
        { version: 6, name: 'the person behind a requester' },
        { version: 7, name: 'issuers of callers' },
        { version: 8, name: 'owners of operations' },
        { version: 9, name: 'fair leases and open operations per tenant' },
        { version: 10, name: 'requests and decisions of approvals' },
        { version: 11, name: 'notifications of approvals' },
        { version: 12, name: 'salts of shown digests' },
      ])
    })

    it('leaves a store alone that a newer version has migrated further', async () => {
      const newer = "INSERT INTO agentic_migrations (version, name) VALUES (1000, 'of a newer version')"
      await store().query(newer)
      try {
        await store().migrate()
        const [last] = await store().query('SELECT max(version) AS version FROM agentic_migrations')
        expect(last).toEqual({ version: 1000 })
      } finally {
        await store().query('DELETE FROM agentic_migrations WHERE version = 1000')
      }
    })

    it('applies the steps of a service once, all of them or none, and the next ones later', async () => {
      const owner = crypto.randomUUID()
      const table = `own_${owner.replaceAll('-', '')}`
      const make = {
        name: 'make',
        apply: async (sql: Sql) => void (await sql.query(`CREATE TABLE ${table} (name text)`)),
      }
      const fill = {
        name: 'fill',
        apply: async (sql: Sql) => void (await sql.query(`INSERT INTO ${table} VALUES ('a')`)),
      }
      const fail = { name: 'fail', apply: () => Promise.reject(new Error('broken')) }
      await expect(store().migrate({ owner, steps: [make, fail] })).rejects.toThrow('broken')
      await Promise.all(Array.from({ length: 5 }, () => store().migrate({ owner, steps: [make] })))
      await store().migrate({ owner, steps: [make, fill] })
      // An older process may start while newer ones run.
      await store().migrate({ owner, steps: [make] })
      await store().migrate({ owner, steps: [make, fill] })
      expect(await store().query(`SELECT name FROM ${table}`)).toEqual([{ name: 'a' }])
      await expect(store().migrate({ owner, steps: [fill, make] })).rejects.toThrow(
        `step 1 of ${owner} is "make" in the store, and not "fill"`,
      )
    })

    it('has the tenant in every primary key and every unique index', async () => {
      const rows = await store().query<{ index: string; definition: string }>(
        `SELECT indexname AS index, indexdef AS definition FROM pg_indexes
         WHERE tablename LIKE 'agentic\\_%' AND tablename NOT LIKE '%migrations' AND indexdef LIKE 'CREATE UNIQUE%'`,
      )
      expect(rows.length).toBeGreaterThanOrEqual(5)
      for (const { index, definition } of rows) expect(definition, index).toContain('(tenant_id,')
    })
  })
}

async function namesOf(sql: Sql): Promise<unknown[]> {
  return (await sql.query('SELECT name FROM notes ORDER BY name')).map((row) => row['name'])
}

function describeTransactions(store: StoreUnderTest): void {
  const withNotes = async () => {
    await store().query('DROP TABLE IF EXISTS notes')
    await store().query('CREATE TABLE notes (name text PRIMARY KEY)')
    return store()
  }
  const insert = 'INSERT INTO notes VALUES ($1)'

  it('keeps all of a transaction', async () => {
    const notes = await withNotes()
    const result = await notes.transaction(async (sql) => {
      await sql.query(insert, ['a'])
      await sql.query(insert, ['b'])
      return namesOf(sql)
    })
    expect(result).toEqual(['a', 'b'])
    expect(await namesOf(notes)).toEqual(['a', 'b'])
  })

  it('keeps nothing of a transaction that throws, and throws the same', async () => {
    const notes = await withNotes()
    const cause = new Error('no')
    const work = notes.transaction(async (sql) => {
      await sql.query(insert, ['a'])
      throw cause
    })
    await expect(work).rejects.toBe(cause)
    expect(await namesOf(notes)).toEqual([])
  })

  it('keeps nothing when a statement failed and the work went on regardless', async () => {
    const notes = await withNotes()
    const work = notes.transaction(async (sql) => {
      await sql.query(insert, ['a'])
      await sql.query(insert, ['a']).catch(() => undefined)
      return 'done'
    })
    await expect(work).rejects.toThrow()
    expect(await namesOf(notes)).toEqual([])
  })

  it('does not show what is not committed', async () => {
    const notes = await withNotes()
    const inserted = Promise.withResolvers<void>()
    const look = inserted.promise.then(() => namesOf(notes))
    const transaction = notes.transaction(async (sql) => {
      await sql.query(insert, ['a'])
      inserted.resolve()
      // In the embedded database the other query waits for this transaction; in PostgreSQL it does not see it.
      await sql.query('SELECT 1')
      throw new Error('no')
    })
    await expect(transaction).rejects.toThrow('no')
    expect(await look).toEqual([])
  })

  it('calls hooks after the commit and none after a rollback', async () => {
    const notes = await withNotes()
    const heard: string[] = []
    await notes.transaction(async (sql) => {
      sql.afterCommit?.(() => heard.push('kept'))
      heard.push('working')
    })
    const failing = notes.transaction(async (sql) => {
      sql.afterCommit?.(() => heard.push('never'))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(heard).toEqual(['working', 'kept'])
  })
}

function describeMistakes(store: StoreUnderTest): void {
  it('passes a fault of a statement on as it is', async () => {
    await expect(store().query('SELECT 1/0')).rejects.toMatchObject({ code: '22012' })
    await expect(store().query('SELEC 1')).rejects.toMatchObject({ code: '42601' })
    await expect(store().query('SELECT $1::text', ['a\0b'])).rejects.toMatchObject({ code: '22021' })
    expect(await store().query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('refuses to be used beside the transaction that waits for it', async () => {
    const queried = store().transaction(() => store().query('SELECT 1'))
    await expect(queried).rejects.toThrow('inside a transaction, use the sql that it was given')
    const nested = store().transaction(() => store().transaction(async () => 1))
    await expect(nested).rejects.toThrow('inside a transaction, use the sql that it was given')
  })

  it('refuses the sql of a transaction that has ended', async () => {
    const kept = await store().transaction(async (sql) => sql)
    await expect(kept.query('SELECT 1')).rejects.toThrow('this transaction has ended')
  })

  it('can be used by what a transaction left behind, once it has ended', async () => {
    const ended = Promise.withResolvers<void>()
    const { later } = await store().transaction(async () => ({
      later: ended.promise.then(() => store().query('SELECT 1 AS one')),
    }))
    ended.resolve()
    expect(await later).toEqual([{ one: 1 }])
  })
}
