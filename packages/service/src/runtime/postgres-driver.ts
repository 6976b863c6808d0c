import { Pool, types } from 'pg'
import { type Driver, StoreUnavailableError, toStoreError } from './store.ts'

// Long enough for a busy server, short enough that a caller hears of a dead one.
const CONNECT_MS = 5_000
const LOCK_MS = 10_000
const STATEMENT_MS = 15_000
// The server's own timeout comes first; this one is for a server that does not answer at all.
const ANSWER_MS = 20_000
// A process that was stopped inside a transaction must not keep its locks.
const IDLE_TRANSACTION_MS = 20_000
const CLOSE_MS = 5_000

/** Opens a pool of connections to a PostgreSQL server. */
export async function openPostgres(options: { url: string; connections?: number }): Promise<Driver> {
  const pool = new Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    application_name: 'agentic-rest',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    types: postgresValues,
  })
  // Without a listener the loss of an idle connection ends the process; the pool has replaced it already.
  pool.on('error', ignore)
  // The pool listens only while it has the connection. One can be lost between two queries, and, when the server is told
  // to stop, in the same bytes that say that it is there.
  pool.on('connect', (client) => client.on('error', ignore))
  return {
    query: (text, parameters) => runQuery(pool, text, parameters),
    transaction: (work) => runTransaction(pool, work),
    close: () => closePool(pool),
  }
}

function ignore(): void {}

async function runQuery(
  pool: Pool,
  text: string,
  parameters: readonly unknown[],
): Promise<readonly object[]> {
  const connection = await checkOut(pool)
  try {
    return (await connection.query(text, parameters)).rows
  } finally {
    connection.checkIn()
  }
}

async function runTransaction<T>(pool: Pool, work: (query: Driver['query']) => Promise<T>): Promise<T> {
  const connection = await begin(pool)
  try {
    const result = await work(async (text, parameters) => (await connection.query(text, parameters)).rows)
    await commit(connection)
    return result
  } catch (error) {
    // What the caller has to hear is why; a lost connection rolls back by itself.
    await connection.query('ROLLBACK').catch(ignore)
    throw error
  } finally {
    connection.checkIn()
  }
}

/** Begins. A connection to a server that was restarted may look alive; nothing was done on it, so another is tried. */
async function begin(pool: Pool, mayTryAnother = true): Promise<Connection> {
  const connection = await checkOut(pool)
  try {
    await connection.query('BEGIN')
    return connection
  } catch (error) {
    connection.checkIn()
    if (mayTryAnother && error instanceof StoreUnavailableError) return begin(pool, false)
    throw error
  }
}

/** PostgreSQL answers COMMIT with ROLLBACK when a statement failed and the work went on as if it had not. */
async function commit(connection: Connection): Promise<void> {
  const { command } = await connection.query('COMMIT')
  if (command !== 'COMMIT')
    throw new TypeError('a statement of the transaction failed, so nothing of it was kept')
}

interface Connection {
  query(text: string, parameters?: readonly unknown[]): Promise<{ rows: object[]; command: string }>
  /** Gives the connection back, or ends it when its state is not known. */
  checkIn(): void
}

async function checkOut(pool: Pool): Promise<Connection> {
  const client = await translated(() => pool.connect())
  let isBroken = false
  return {
    async query(text, parameters = []) {
      if (isBroken) throw new StoreUnavailableError('the connection to the store was lost')
      try {
        return await translated(() => client.query<object>(text, [...parameters]))
      } catch (error) {
        isBroken ||= error instanceof StoreUnavailableError
        throw error
      }
    },
    checkIn: () => client.release(isBroken),
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Of what is not reported by the server, only a value that cannot be sent is the caller's fault.
    throw toStoreError(error, (lost) => !(lost instanceof TypeError))
  }
}

/** A server that does not answer must not keep a service from closing. */
async function closePool(pool: Pool): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, CLOSE_MS)
  await Promise.race([pool.end(), late])
  clearTimeout(timer)
}

const { builtins } = types
// The types of arrays have no names in the driver.
const INT8_ARRAY = 1016
const TEXT_ARRAY = 1009 as Parameters<typeof types.getTypeParser>[0]

/**
 * How values come out of PostgreSQL where the driver's own way differs from PGlite's: the same query gives the same
 * row on both, whatever the time zone of the machine.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, toInteger],
  [INT8_ARRAY, (text) => toIntegers(types.getTypeParser(TEXT_ARRAY, 'text')(text))],
  [builtins.DATE, (text) => new Date(`${text}T00:00:00Z`)],
  [builtins.TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
  [builtins.INTERVAL, (text) => text],
  [builtins.BYTEA, (text) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))],
])

function toInteger(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

function toIntegers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toIntegers)
  return typeof value === 'string' ? toInteger(value) : value
}

/** The type parsers of every connection of a store. */
export const postgresValues: { readonly getTypeParser: typeof types.getTypeParser } = {
  getTypeParser: ((id: number, format?: 'text') =>
    parsers.get(id) ?? types.getTypeParser(id, format)) as typeof types.getTypeParser,
}
