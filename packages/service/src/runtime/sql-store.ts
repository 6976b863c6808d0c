import { AsyncLocalStorage } from 'node:async_hooks'
import { migrate } from './migrations.ts'
import { type Driver, type Sql, type Store, type StoreOptions, StoreUnavailableError } from './store.ts'

/** Makes a store: in memory, in a folder of this machine, or in a PostgreSQL server. It is opened at its first use. */
export function createStore(options: StoreOptions): Store {
  return createSqlStore(() => openDriver(options))
}

/** Who uses PostgreSQL does not load the embedded database, and the other way round. */
async function openDriver(options: StoreOptions): Promise<Driver> {
  if ('url' in options) {
    const { openPostgres } = await import('./postgres-driver.ts')
    return openPostgres(options)
  }
  const { openFolder, openMemory } = await import('./pglite-driver.ts')
  return 'folder' in options ? openFolder(options.folder) : openMemory()
}

// A transaction holds locks and, embedded, the only connection: one that hangs must not hold them for ever.
const TRANSACTION_MS = 30_000

interface Span {
  ended: boolean
}

/** Makes a store of a driver that is opened when it is first needed. */
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

/** Opens once; a failed attempt is made again by the next caller. */
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

/** Embedded, there is one connection: a query beside the transaction that waits for it would wait for ever. */
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

/** After the end of its transaction a connection belongs to somebody else. */
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
