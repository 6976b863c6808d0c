import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createStore } from '@agentic-rest/service'
import { programEntry } from './part-entry.ts'

/** The database of DATABASE_URL cannot be used. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/** Creates the missing schemas of the parts that store data. */
export async function createSchemas(databaseUrl: string, names: readonly string[]): Promise<void> {
  const store = createStore({ url: databaseUrl, connections: 1 })
  try {
    for (const name of names) await store.query(`CREATE SCHEMA IF NOT EXISTS "${schemaOf(name)}"`)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatabaseError(`the database in DATABASE_URL cannot be used: ${reason}`, { cause })
  } finally {
    await store.close()
  }
}

/** The database URL of one part, with the schema of the part as the default. */
export function schemaUrl(databaseUrl: string, name: string): string {
  const url = URL.parse(databaseUrl)
  if (url === null) throw new DatabaseError('DATABASE_URL is not a URL')
  const options = [url.searchParams.get('options') ?? '', `-c search_path=${schemaOf(name)}`]
  url.searchParams.set('options', options.join(' ').trim())
  return url.href
}

function schemaOf(name: string): string {
  return `agentic_${name.replaceAll('-', '_')}`
}

/** The options of `makeFirstDatabases`. */
interface FirstDatabases {
  /** The folders of the databases. */
  readonly folders: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates one empty database and copies it, if none exists yet. Creating one takes seconds of processor time, copying
 * does not. A part without a database creates its own, so a failure here has no consequence.
 */
export async function makeFirstDatabases({ folders, env, signal }: FirstDatabases): Promise<void> {
  if (folders.length < 2 || folders.some((folder) => existsSync(folder))) return
  const { file, nodeArguments } = programEntry('make-databases')
  const child = spawn(process.execPath, [...nodeArguments, file, ...folders], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(signal && { signal }),
  })
  await new Promise((resolve) => child.once('error', resolve).once('exit', resolve))
}
