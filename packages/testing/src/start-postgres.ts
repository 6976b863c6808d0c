import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { PostgresClient } from './load-pg.ts'
import { programPath } from './programs.ts'

/** A PostgreSQL server of this test alone, in a temporary folder. */
export interface PostgresServer {
  readonly url: string
  /** Creates a database; resolves with its URL. */
  createDatabase(): Promise<string>
  /** Stops the server: open transactions are rolled back, connections closed. */
  stop(): Promise<void>
  /** Kills the server, as in a crash. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Suspends the server while `work` runs. */
  whilePaused(work: () => Promise<void>): Promise<void>
  /** Stops the server and removes its folder. */
  close(): Promise<void>
}

/** Starts a server. */
export async function startPostgres(): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const folder = mkdtempSync(join(tmpdir(), 'agentic-postgres-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  await promisify(execFile)(
    programPath('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: folder },
  )
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const parameters = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1']
  const settings = ['-c', 'fsync=off', '-c', 'max_connections=200']
  let server: ChildProcess | undefined
  const start = async () => {
    server = spawn(programPath('postgres'), [...parameters, ...settings], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await ready(server)
  }
  const end = async (signal: NodeJS.Signals) => {
    const ending = server
    server = undefined
    if (ending === undefined || ending.exitCode !== null) return
    const exited = once(ending, 'exit')
    ending.kill(signal)
    await exited
  }
  await start()
  return {
    url,
    createDatabase: () => createDatabase(url),
    start,
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    async whilePaused(work) {
      const pids = [server?.pid ?? 0, ...(await backendsOfStores(url))].filter((pid) => pid > 0)
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      try {
        await work()
      } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      }
    },
    async close() {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves when the server is ready. The rest of the log is read and dropped, so that the pipe does not fill. */
function ready(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let log = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000)
    if (log.includes('ready to accept connections')) resolve()
  })
  server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  return promise
}

/** Creates a database on a server; resolves with its URL. */
export async function createDatabase(url: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(url, `CREATE DATABASE ${name}`)
  return url.replace(/postgres$/, name)
}

/** Runs one statement on a new connection. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** The server processes of the stores' connections. */
async function backendsOfStores(url: string): Promise<readonly number[]> {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'agentic-rest'",
  )
  await client.end()
  return rows.map(({ pid }) => pid)
}

/** PostgreSQL refuses to run as root, so it runs as one of these users. */
function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  return users.get('postgres') ?? users.get('nobody')
}
