import { AsyncLocalStorage } from 'node:async_hooks'
import { migrate } from './migrations.ts'
import { type Driver, type Sql, type Store, type StoreOptions, StoreUnavailableError } from './store.ts'

/** Creates a store: in memory, in a folder, or on a PostgreSQL server. It is opened at its first use. */
export function createStore(options: StoreOptions): Store {
  return createSqlStore(() => openDriver(options))
}

/** Loads only the driver in use. */
async function openDriver(options: StoreOptions): Promise<Driver> {
  if ('url' in options) {
    const { openPostgres } = await import('./postgres-driver.ts')
    return openPostgres(options)
  }
  const { openFolder, openMemory } = await import('./pglite-driver.ts')
  return 'folder' in options ? openFolder(options.folder) : openMemory()
}

// A hanging transaction must not hold its locks, or the only connection of an embedded database, for ever.
const TRANSACTION_MS = 30_000

interface Span {
  ended: boolean
}

/** Creates a store on a driver, which is opened at its first use. */
export function createSqlStore(open: () => Promise<Driver>): Store {
  const driver = createOpener(open)
  const inside = new AsyncLocalStorage<Span>()
  const query: Sql['query'] = async (text, parameters = []) => {
    assertOutside(inside)
    const opened = await driver.get()
    return opened.query(text, parameters) as Promise<never>
  }
  const transaction: Store['transaction'] = async (work) => {
    assertOutside(inside)
    const opened = await driver.get()
    const span: Span = { ended: false }
    return inside.run(span, () => runTransaction(opened, span, work))
  }
  return { query, transaction, migrate: (own) => migrate(transaction, own), close: driver.close }
}

/** Opens once. After a failure the next caller tries again. */
function createOpener(open: () => Promise<Driver>) {
  let opening: Promise<Driver> | undefined
  let closed = false
  return {
    async get(): Promise<Driver> {
      if (closed) throw new StoreUnavailableError('the store is closed')
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async close(): Promise<void> {
      if (closed) return
      closed = true
      const opened = await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}

/** An embedded database has one connection: a query outside the open transaction would deadlock with it. */
function assertOutside(inside: AsyncLocalStorage<Span>): void {
  if (inside.getStore()?.ended === false) {
    throw new TypeError('inside a transaction, use the sql that it was given')
  }
}

async function runTransaction<T>(driver: Driver, span: Span, work: (sql: Sql) => Promise<T>): Promise<T> {
  const hooks: (() => void)[] = []
  const result = await driver.transaction(async (query) => {
    try {
      return await withinTime(work(transactionSql(query, span, hooks)))
    } finally {
      span.ended = true
    }
  })
  for (const hook of hooks) hook()
  return result
}

/** The `sql` of a transaction. After the end of the transaction the connection may have another user. */
function transactionSql(query: Driver['query'], span: Span, hooks: (() => void)[]): Sql {
  return {
    query: async (text, parameters = []) => {
      if (span.ended) throw new TypeError('this transaction has ended')
      return query(text, parameters) as Promise<never>
    },
    afterCommit: (hook) => void hooks.push(hook),
  }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const tooLate = () => reject(new StoreUnavailableError('a transaction took too long and is rolled back'))
  const timer = setTimeout(tooLate, TRANSACTION_MS)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
