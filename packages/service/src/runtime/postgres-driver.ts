import { parseOwnJson } from '@agentic-rest/profile'
import { Pool, types } from 'pg'
import { type Driver, StoreUnavailableError, toStoreError } from './store.ts'

// Long enough for a busy server, short enough to report a dead one.
const CONNECT_MS = 5_000
const LOCK_MS = 10_000
const STATEMENT_MS = 15_000
// Longer than the timeout of the server. It applies to a server that does not answer at all.
const ANSWER_MS = 20_000
// A suspended process must not keep the locks of its transaction.
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
  // Without a listener the loss of an idle connection would end the process. The pool replaces it.
  pool.on('error', ignore)
  // The pool listens only to idle connections. A connection can also be lost between two queries or, when the server
  // shuts down, together with its first bytes.
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
    // The caller needs the original error. A lost connection is rolled back by the server.
    await connection.query('ROLLBACK').catch(ignore)
    throw error
  } finally {
    connection.checkIn()
  }
}

/** Starts a transaction. After a restart of the server a pooled connection may be dead; a second one is tried. */
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

/** PostgreSQL answers COMMIT with ROLLBACK if a statement failed and its error was ignored. */
async function commit(connection: Connection): Promise<void> {
  const { command } = await connection.query('COMMIT')
  if (command !== 'COMMIT')
    throw new TypeError('a statement of the transaction failed, so nothing of it was kept')
}

interface Connection {
  query(text: string, parameters?: readonly unknown[]): Promise<{ rows: object[]; command: string }>
  /** Returns the connection to the pool, or closes it if its state is unknown. */
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
    // A `TypeError` is the caller's fault: a value that cannot be sent. Other local errors mean a lost connection.
    throw toStoreError(error, (lost) => !(lost instanceof TypeError))
  }
}

/** Closes the pool, with a time limit for servers that do not answer. */
async function closePool(pool: Pool): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, CLOSE_MS)
  await Promise.race([pool.end(), late])
  clearTimeout(timer)
}

const { builtins } = types
// The driver has no names for array types.
const INT8_ARRAY = 1016
const TEXT_ARRAY = 1009 as Parameters<typeof types.getTypeParser>[0]

/**
 * Type parsers for types that pg and PGlite read differently. With them a query gives the same row on both, in every
 * time zone.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, toInteger],
  [INT8_ARRAY, (text) => toIntegers(types.getTypeParser(TEXT_ARRAY, 'text')(text))],
  // The driver's own parser mixes escaped names up (docs/decisions/0045-reading-json.md).
  [builtins.JSON, parseOwnJson],
  [builtins.JSONB, parseOwnJson],
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
