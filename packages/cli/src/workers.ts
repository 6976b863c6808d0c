import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ConfigResult,
  type ConfigSource,
  type Gateway,
  type Log,
  type LogLevel,
  loadSupervisor,
  loadWorker,
} from '@agentic-rest/gateway'
import { exitCodes, type Host, WORKER_VARIABLE } from './host.ts'
import { boundedWriter, openLog } from './open-log.ts'
import { readVersion } from './version.ts'
import { endOnUnhandledErrors } from './watch-signals.ts'

// Workers run the same program. An environment variable tells a process that it is a worker.
const program = join(import.meta.dirname, '../bin/agentic.cjs')

/** A gateway of one or several processes. */
export type RunningGateway = Pick<Gateway, 'start' | 'adminPort' | 'reload' | 'drain'>

/** The settings of a gateway with several processes. */
export interface WorkersOptions {
  readonly loaded: Extract<ConfigResult, { readonly ok: true }>
  readonly file: string
  readonly log: Log
  readonly logLevel: LogLevel
  readonly consoleFolder: string | undefined
  readonly source: ConfigSource
}

/** Starts the workers of a gateway; this process is their supervisor. */
export async function openWorkers(options: WorkersOptions, host: Host): Promise<RunningGateway> {
  const { loaded, file, log, logLevel, consoleFolder, source } = options
  const { Supervisor } = await loadSupervisor()
  const supervisor = new Supervisor({
    loaded,
    source,
    log,
    consoleFolder,
    program: { file: program, args: ['start', '-c', file], env: { ...host.env, [WORKER_VARIABLE]: '1' } },
    logging: { level: logLevel, pretty: host.stderr.isTTY === true },
    stdout: host.stdout,
    sharesStdout: isFile(host.stdout),
    writeLog: boundedWriter(host.stderr),
  })
  // Workers must not outlive this process.
  host.on('exit', () => supervisor.kill())
  return supervisor
}

/**
 * Whether a stream is a file or a device such as `/dev/null`. A write of whole lines is one call there, and the kernel lets
 * one process write after the other; in a pipe, lines above 4 KiB may be cut by those of another process.
 */
function isFile({ fd, isTTY }: NodeJS.WriteStream & { readonly fd: number }): boolean {
  if (process.platform === 'win32' || isTTY) return false
  const stat = fstatSync(fd)
  return stat.isFile() || stat.isCharacterDevice()
}

/** Runs this process as a worker of a supervisor; resolves with the exit code. */
export async function runAsWorker(host: Host): Promise<number> {
  if (process.send === undefined) {
    host.stderr.write(
      `agentic start: ${WORKER_VARIABLE} is only for workers; it is set by their supervisor\n`,
    )
    return exitCodes.invalid
  }
  const { runWorker } = await loadWorker()
  // Terminals and service managers signal the whole process group. The supervisor acts on the signal for its workers.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, () => undefined)
  const tookRequests = await runWorker({
    peer: process,
    env: host.env,
    version: readVersion(),
    stdout: host.stdout,
    openLog({ level, pretty }) {
      const log = openLog(host.stderr, level, pretty)
      endOnUnhandledErrors(host, log)
      return log
    },
  })
  return tookRequests ? exitCodes.ok : exitCodes.failed
}
