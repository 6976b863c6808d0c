import { afterEach, expect, it, vi } from 'vitest'
import { createSqlStore } from '../../src/runtime/sql-store.ts'
import type { Driver } from '../../src/runtime/store.ts'

/** A driver that records its calls. */
function createDriver() {
  const log: string[] = []
  const query: Driver['query'] = async (text) => {
    log.push(text)
    return []
  }
  const driver: Driver = {
    query,
    async transaction(work) {
      log.push('begin')
      try {
        const result = await work(query)
        log.push('commit')
        return result
      } catch (error) {
        log.push('rollback')
        throw error
      }
    },
    close: async () => void log.push('close'),
  }
  return { driver, log }
}

afterEach(() => vi.useRealTimers())

it('is opened once, by its first use', async () => {
  const { driver, log } = createDriver()
  let opened = 0
  const store = createSqlStore(async () => {
    opened += 1
    return driver
  })
  expect(opened).toBe(0)
  await Promise.all([store.query('a'), store.query('b'), store.transaction((sql) => sql.query('c'))])
  expect(opened).toBe(1)
  expect(log).toEqual(['a', 'b', 'begin', 'c', 'commit'])
})

it('tries to open again when that has failed', async () => {
  const { driver } = createDriver()
  let attempts = 0
  const store = createSqlStore(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
    return driver
  })
  await expect(store.query('a')).rejects.toThrow('not yet')
  expect(await store.query('a')).toEqual([])
})

it('closes what is still being opened, once, and opens nothing afterwards', async () => {
  const { driver, log } = createDriver()
  const opening = Promise.withResolvers<Driver>()
  const store = createSqlStore(() => opening.promise)
  const query = store.query('a')
  const closed = Promise.all([store.close(), store.close()])
  opening.resolve(driver)
  await query
  await closed
  expect(log.toSorted()).toEqual(['a', 'close'])
  await expect(store.query('b')).rejects.toThrow('the store is closed')
})

it('has nothing to close when it was never used', async () => {
  const store = createSqlStore(() => Promise.reject(new Error('opened')))
  expect(await store.close()).toBeUndefined()
})

it('rolls a transaction back that takes longer than 30 seconds', async () => {
  vi.useFakeTimers()
  const { driver, log } = createDriver()
  const store = createSqlStore(async () => driver)
  const hanging = store.transaction(async (sql) => {
    await sql.query('a')
    return new Promise(() => undefined)
  })
  const refused = expect(hanging).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(log).toEqual(['begin', 'a'])
  await vi.advanceTimersByTimeAsync(1)
  await refused
  expect(log).toEqual(['begin', 'a', 'rollback'])
})
