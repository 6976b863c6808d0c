import { readFileSync } from 'node:fs'
import { describeOwnPostgres } from '@agentic-rest/testing/describe-postgres'
import { administer } from '@agentic-rest/testing/start-postgres'
import { afterEach, expect, it } from 'vitest'
import { createIdempotency } from '../../src/runtime/idempotency.ts'
import { migrations } from '../../src/runtime/migrations.ts'
import { createOperations } from '../../src/runtime/operations.ts'
import type { BackgroundFault } from '../../src/runtime/operations-options.ts'
import { createStore } from '../../src/runtime/sql-store.ts'
import type { Store } from '../../src/runtime/store.ts'
import { StoreUnavailableError } from '../../src/runtime/store.ts'
import { addEffect, countEffects, createEffects } from './behaviour/effects.ts'
import { acceptJobs } from './harness/accept-jobs.ts'
import { allEnded, expectOneResultEach } from './harness/run-to-completion.ts'

const away = {
  name: 'StoreUnavailableError',
  code: 'STORE_UNAVAILABLE',
  message: 'the store is not available',
}

const deploymentPage = readFileSync(new URL('../../../../docs/deployment.md', import.meta.url), 'utf8')
const documentedGrants = deploymentPage.match(/^GRANT .*;$/gm) ?? []

describeOwnPostgres('when PostgreSQL is away', (server) => {
  const stores: Store[] = []
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
  })

  async function openStore() {
    const url = await server().createDatabase()
    const store = createStore({ url })
    stores.push(store)
    await store.migrate()
    await createEffects(store)
    return { store, url }
  }

  it.each([
    ['nobody listens', 'postgres://postgres@127.0.0.1:1/postgres'],
    ['the host is unknown', 'postgres://postgres@host.invalid/postgres'],
  ])('says so when %s, without the address', async (_why, url) => {
    const store = createStore({ url })
    await expect(store.migrate()).rejects.toMatchObject(away)
    await expect(store.query('SELECT 1')).rejects.toMatchObject(away)
    await store.close()
  })

  it('says so when the database or the user does not exist', async () => {
    for (const url of [
      server().url.replace(/postgres$/, 'nowhere'),
      server().url.replace('postgres@', 'nobody@'),
    ]) {
      const store = createStore({ url })
      await expect(store.migrate()).rejects.toMatchObject(away)
      await store.close()
    }
  })

  it('says so when it is closed', async () => {
    const { store } = await openStore()
    await store.close()
    await store.close()
    await expect(store.query('SELECT 1')).rejects.toThrow(StoreUnavailableError)
    await expect(store.transaction(async () => 1)).rejects.toThrow('the store is closed')
  })

  it('is migrated by several processes at once', async () => {
    const url = await server().createDatabase()
    const many = Array.from({ length: 8 }, () => createStore({ url, connections: 1 }))
    stores.push(...many)
    await Promise.all(many.map((store) => store.migrate()))
    const versions = await many[0]?.query('SELECT version FROM agentic_migrations ORDER BY version')
    expect(versions).toEqual(migrations.map((_, index) => ({ version: index + 1 })))
  })

  it('is used by a user with the documented rights, who may not make tables, once they are there', async () => {
    const { url } = await openStore()
    const role = `clerk_${crypto.randomUUID().slice(0, 8)}`
    await administer(url, `CREATE ROLE ${role} LOGIN`)
    await administer(url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    await administer(url, 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC')
    const database = new URL(url).pathname.slice(1)
    for (const grant of documentedGrants)
      await administer(
        url,
        grant.replace('DATABASE shop', `DATABASE ${database}`).replace('TO shop', `TO ${role}`),
      )
    const store = createStore({ url: url.replace('postgres@', `${role}@`) })
    stores.push(store)
    await store.migrate()
    await acceptJobs(store, 1)
    expect(await completed(store)).toBe(0)
    const scope = { tenantId: 'acme', operation: 'pay', requester: 'alice' }
    expect(await createIdempotency(store).claim(scope, 'key-1', 'print')).toMatchObject({ kind: 'claimed' })
    await expect(store.query('CREATE TABLE mine (id int)')).rejects.toThrow('permission denied')
  })

  it('survives a restart of the server: idle connections, the next query, the next transaction', async () => {
    const { store } = await openStore()
    await Promise.all(Array.from({ length: 5 }, () => store.query('SELECT pg_sleep(0.05)')))
    await server().stop()
    await expect(store.query('SELECT 1')).rejects.toMatchObject(away)
    await expect(store.transaction(async () => 1)).rejects.toMatchObject(away)
    await server().start()
    expect(await store.transaction((sql) => sql.query('SELECT 1 AS one'))).toEqual([{ one: 1 }])
    expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('keeps nothing of a transaction whose connection is killed between or within two statements', async () => {
    const { store, url } = await openStore()
    const kill =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agentic-rest'"
    const between = store.transaction(async (sql) => {
      await addEffect(sql, 'acme', 'killed')
      await administer(url, kill)
      await addEffect(sql, 'acme', 'killed')
    })
    await expect(between).rejects.toMatchObject(away)
    const within = store.transaction(async (sql) => {
      await addEffect(sql, 'acme', 'killed')
      await Promise.all([sql.query('SELECT pg_sleep(10)'), administer(url, kill)])
    })
    await expect(within).rejects.toMatchObject(away)
    const atCommit = store.transaction(async (sql) => {
      await addEffect(sql, 'acme', 'killed')
      await administer(url, kill)
    })
    await expect(atCommit).rejects.toMatchObject(away)
    expect(await countEffects(store, 'killed')).toBe(0)
  })

  it('gives up on a server that does not answer, and works again when it does', async () => {
    const { url } = await openStore()
    const store = createStore({ url: `${url}?query_timeout=500` })
    stores.push(store)
    await expect.poll(() => store.query('SELECT 1 AS one').catch(() => [])).toEqual([{ one: 1 }])
    await server().whilePaused(async () => {
      await expect(store.query('SELECT 1')).rejects.toMatchObject(away)
      await expect(store.transaction((sql) => sql.query('SELECT 1'))).rejects.toMatchObject(away)
    })
    await expect.poll(() => store.query('SELECT 1 AS one').catch(() => [])).toEqual([{ one: 1 }])
  })

  it('loses and doubles no operation while the server is crashed, stopped and its connections are killed', async () => {
    const { store, url } = await openStore()
    const faults: BackgroundFault[] = []
    const operations = createOperations(store, {
      leaseSeconds: 1,
      workers: 4,
      pollMilliseconds: 20,
      maxAttempts: 1000,
      backoffSeconds: 0.05,
      onFault: (fault) => faults.push(fault),
    })
    const count = 400
    await acceptJobs(store, count)
    operations.start(
      new Map([
        [
          'count',
          (job, context) =>
            context.finish(async (sql) => {
              await addEffect(sql, job.scope.tenantId, (job.input as { name: string }).name)
              return { type: 'success', body: {} }
            }),
        ],
      ]),
    )
    const kill =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agentic-rest'"
    const disturbances = [
      () => administer(url, kill),
      () => server().crash(),
      () => administer(url, kill),
      () => server().stop(),
    ]
    for (const [index, disturb] of disturbances.entries()) {
      await expect.poll(() => completed(store)).toBeGreaterThan(index * 60)
      await disturb()
      if (index % 2 === 1) await server().start()
    }
    await allEnded(store, 60_000)
    await operations.close()
    await expectOneResultEach(store, count)
    expect(faults.length).toBeGreaterThan(0)
  })
})

async function completed(store: Store): Promise<number> {
  const rows = await store.query("SELECT 1 FROM agentic_operations WHERE state = 'completed'").catch(() => [])
  return rows.length
}
