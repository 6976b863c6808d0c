import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createSchemas, makeFirstDatabases } from './databases.ts'
import { makeIdentityKey } from './identity-key.ts'
import type { PartCommand } from './part-process.ts'
import { type PlannedPart, type PlanOptions, planStack } from './plan-stack.ts'
import { assertFree, type WantedPort } from './ports.ts'
import { type SupervisedPart, supervisePart } from './supervised-part.ts'
import { createTerminal, type Terminal } from './terminal.ts'
import { watchSources } from './watch-sources.ts'

/** The options of a stack. */
export interface StackOptions extends PlanOptions {
  /** The stream for messages of the stack. */
  readonly output: Writable
  /** Shows all log lines of the parts, not only warnings. */
  readonly verbose?: boolean | undefined
  /** Aborted to stop the stack, also during its start. */
  readonly signal?: AbortSignal | undefined
  /** The start command with options, for hints. */
  readonly command?: ((options: string) => string) | undefined
}

/** A running part. */
export interface RunningPart {
  readonly name: string
  /** The process id at the start of the stack. A restart changes it. */
  readonly pid: number | undefined
  readonly url: string
  readonly purpose: string
}

/** A running stack. */
export interface Stack {
  readonly parts: readonly RunningPart[]
  /** The address of the console. */
  readonly consoleUrl: string | undefined
  /** Stops the gateways first, so that requests in flight are answered, and then the other parts. */
  stop(): Promise<void>
  /** Resolves when the stack has been stopped. */
  readonly ended: Promise<void>
}

interface Member {
  readonly planned: PlannedPart
  readonly part: SupervisedPart
  readonly audit: LineFile | undefined
}

/**
 * Starts everything and resolves when each part answers. Rejects, with nothing left running, when a port is taken
 * (`PortsTakenError`), the folder is (`DataInUseError`), a part does not start (`PartFailedError`) or a file is not valid (`GatewayFileError`).
 */
export async function startStack(given: StackOptions): Promise<Stack> {
  const options = { ...given, keyFolder: given.dataFolder ?? join(tmpdir(), `agentic-keys-${randomUUID()}`) }
  const planned = planStack(options)
  const command = options.command ?? ((wanted: string) => `agentic dev ${wanted}`)
  await assertFree(planned.flatMap(wantedPorts), command)
  const unlock = await prepareData(options, planned, command)
  const terminal = createTerminal(options.output, options.verbose ?? false)
  const members = planned.map((each) => createMember(each, terminal))
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let stopped: Promise<void> | undefined
  const stop = () => {
    if (stopped === undefined)
      terminal.event('stack', 'stops when requests in flight have ended; Ctrl-C once more ends it at once')
    stopped ??= stopInOrder(members).then(unlock).then(end)
    return stopped
  }
  const watched = members.map((member) => watchProgram(member, terminal))
  void ended.then(() => watched.forEach((unwatch) => void unwatch()))
  options.signal?.addEventListener('abort', stop)
  try {
    if (!options.signal?.aborted) await startInOrder(members, firstDatabases(planned, options))
  } catch (error) {
    await stop()
    throw error
  }
  return { parts: members.map(describePart), consoleUrl: consoleUrlOf(planned), stop, ended }
}

const CONSOLE_HOST = '127.0.0.1'

function wantedPorts({ row, host, port, consolePort }: PlannedPart): WantedPort[] {
  const own = { name: row.name, host, port }
  return consolePort === undefined ? [own] : [own, { name: 'console', host: CONSOLE_HOST, port: consolePort }]
}

function consoleUrlOf(planned: readonly PlannedPart[]): string | undefined {
  const port = planned.map(({ consolePort }) => consolePort).find((each) => each !== undefined)
  return port === undefined ? undefined : `http://${CONSOLE_HOST}:${port}`
}

/** Locks the folder, makes missing keys, and returns the release. Only embedded databases need the lock. */
async function prepareData(
  { dataFolder, databaseUrl, keyFolder = '' }: StackOptions,
  planned: readonly PlannedPart[],
  command: (options: string) => string,
): Promise<() => void> {
  const storing = planned.filter(({ row }) => row.stores).map(({ row }) => row.name)
  if (dataFolder !== undefined) {
    mkdirSync(join(dataFolder, 'audit'), { recursive: true })
    // Keys and databases of a demonstration must not be committed.
    writeFileSync(join(dataFolder, '.gitignore'), '*\n')
  }
  if (databaseUrl !== undefined) await createSchemas(databaseUrl, storing)
  const isEmbedded = databaseUrl === undefined && storing.length > 0
  const unlock = isEmbedded && dataFolder !== undefined ? lockData(dataFolder, command) : () => undefined
  for (const { row, env } of planned) if (row.signs) makeIdentityKey(env['IDENTITY_KEY_FILE'] ?? '')
  return () => {
    // Without a data folder nothing is kept, not even a key.
    if (dataFolder === undefined) rmSync(keyFolder, { recursive: true, force: true })
    unlock()
  }
}

function createMember(planned: PlannedPart, terminal: Terminal): Member {
  const { row, entry, env, isReady } = planned
  const { name } = row
  // Services write their records themselves; a gateway writes them to stdout.
  const auditFile = 'gateway' in row.runs ? env['AUDIT_FILE'] : undefined
  const lose = (reason: string) => terminal.event(name, `leaves no records: ${reason}`)
  const audit = auditFile === undefined ? undefined : openLineFile(auditFile, lose)
  const command: PartCommand = {
    name,
    arguments: [...entry.nodeArguments, entry.file],
    env,
    isReady,
    onStdout(line) {
      if (!('gateway' in row.runs)) return terminal.logged(name, line)
      audit?.add(line)
    },
    onStderr: (line) => terminal.logged(name, line),
    // Every request, also those that the gateway's configuration does not record.
    onMessage: (record) => terminal.requested(name, record),
  }
  const part = supervisePart(command, (message, isFailure) =>
    isFailure ? terminal.failed(name, message) : terminal.event(name, message),
  )
  return { planned, audit, part }
}

/** Starts the identity provider first, because gateways fetch its keys, then all other parts in parallel. */
async function startInOrder(members: readonly Member[], databases: Promise<void>): Promise<void> {
  const issuers = members.filter(({ planned }) => planned.row.issuesTokens)
  const gateways = members.filter(isGateway)
  const others = members.filter((member) => !issuers.includes(member) && !gateways.includes(member))
  const startAll = (some: readonly Member[]) => Promise.all(some.map(({ part }) => part.start()))
  const [storing, rest] = [others.filter(hasStore), others.filter((member) => !hasStore(member))]
  const stores = databases.then(() => startAll(storing))
  await Promise.all([startAll(issuers).then(() => startAll(gateways)), startAll(rest), stores])
}

/** Restarts the user's program after a change of its source. */
function watchProgram({ planned: { row }, part }: Member, terminal: Terminal): () => void {
  if (!('program' in row.runs)) return () => undefined
  return watchSources(dirname(row.runs.program), (file) => {
    terminal.event(row.name, `${file} has changed; it is started again`)
    void part.restart()
  })
}

function hasStore({ planned }: Member): boolean {
  return planned.row.stores === true
}

/** The folders of the embedded databases, all created at the first start. */
function firstDatabases(planned: readonly PlannedPart[], { env, signal }: StackOptions): Promise<void> {
  const embedded = planned.filter((each) => each.row.stores && each.env['DATABASE_URL'] === undefined)
  const folders = embedded
    .flatMap((each) => each.env['DATA_FOLDER'] ?? [])
    .map((folder) => join(folder, 'database'))
  return makeFirstDatabases({ folders, env: embedded[0]?.env ?? env, signal })
}

async function stopInOrder(members: readonly Member[]): Promise<void> {
  const stopAll = (some: readonly Member[]) => Promise.all(some.map(({ part }) => part.stop()))
  await stopAll(members.filter(isGateway))
  await stopAll(members.filter((member) => !isGateway(member)))
  await Promise.all(members.map(({ audit }) => audit?.close()))
}

function isGateway({ planned }: Member): boolean {
  return 'gateway' in planned.row.runs
}

function describePart({ planned: { row, host, port }, part }: Member): RunningPart {
  return { name: row.name, pid: part.pid(), purpose: row.purpose, url: `http://${host}:${port}` }
}

/** The data folder is in use by another stack. The message suggests a fix. */
export class DataInUseError extends Error {
  override readonly name = 'DataInUseError'
}

/** Locks a folder against other stacks. It is a lock of the kernel, so it always ends with this process. */
function lockData(folder: string, command: (options: string) => string): () => void {
  const holder = new DatabaseSync(join(folder, 'lock'))
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    holder.close()
    const advice = `Start it with ${command('--data OTHER')} or ${command('--memory')}.`
    throw new DataInUseError(`${folder} is in use by another stack\n${advice}`, { cause })
  }
  return () => holder.close()
}

/** A file to append lines to. */
interface LineFile {
  add(line: string): void
  /** Resolves when all lines are written or lost. */
  close(): Promise<void>
}

/** Opens a file to append lines to. A write error loses lines, but does not stop the stack. */
function openLineFile(path: string, onFailure: (reason: string) => void): LineFile {
  mkdirSync(dirname(path), { recursive: true })
  const stream = createWriteStream(path, { flags: 'a' })
  stream.on('error', ({ message }) => onFailure(message))
  return {
    add(line) {
      if (!stream.destroyed) stream.write(`${line}\n`)
    },
    close: () => finished(stream.end()).catch(() => undefined),
  }
}
