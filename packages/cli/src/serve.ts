import { dirname, resolve } from 'node:path'
import {
  type ConfigResult,
  createGateway,
  InitialisationError,
  type Log,
  type LogLevel,
  loadConfig,
  watchConfig,
} from '@agentic-rest/gateway'
import { findConsoleFolder } from './console-folder.ts'
import { exitCodes } from './exit-codes.ts'
import type { Host } from './host.ts'
import { readVersion } from './version.ts'
import { watchSignals } from './watch-signals.ts'
import type { RunningGateway } from './workers.ts'

/** What is served. */
export interface Served {
  readonly loaded: Extract<ConfigResult, { readonly ok: true }>
  /** Where the configuration comes from; file names in it start from its folder. */
  readonly file: string
  /** Whether a changed file is reloaded by itself. */
  readonly watch: boolean
  readonly log: Log
  readonly logLevel: LogLevel
}

/** Runs a gateway from its start to the end of its drain; resolves with the exit code. */
export async function serve(served: Served, host: Host): Promise<number> {
  const { log } = served
  const { promise: started, resolve: tellStarted } = Promise.withResolvers<RunningGateway>()
  // One that comes while the gateway starts is for what the file says afterwards.
  const reload = () => void started.then((gateway) => gateway.reload())
  const signals = watchSignals(host, log, reload)
  const unwatch = served.watch ? watchConfig(served.file, reload) : undefined
  try {
    const gateway = await openGateway(served, host)
    announce(served, await gateway.start())
    announceConsole(served, gateway)
    tellStarted(gateway)
    await signals.toldToStop
    unwatch?.()
    await gateway.drain()
    return exitCodes.ok
  } catch (error) {
    // A signal to all processes ends workers that are not there yet, and with them a start that is to end anyway.
    if (signals.isToldToStop() && served.loaded.config.gateway.workers > 1) return exitCodes.ok
    if (error instanceof InitialisationError)
      log.error('the gateway did not start', { reason: error.message })
    else log.error('the gateway failed', { error })
    return exitCodes.failed
  }
}

async function openGateway(served: Served, host: Host): Promise<RunningGateway> {
  const { loaded, file, log } = served
  const { admin, workers } = loaded.config.gateway
  const consoleFolder = admin === undefined ? undefined : await findConsoleFolder(host)
  const source = { file, read: () => loadConfig(file, host.env) }
  if (workers > 1) {
    const { openWorkers } = await import('./workers.ts')
    return await openWorkers({ ...served, consoleFolder, source }, host)
  }
  return createGateway({
    ...loaded,
    log,
    stdout: host.stdout,
    baseFolder: dirname(resolve(file)),
    version: readVersion(),
    admin: { consoleFolder, file },
    source,
  })
}

function announce({ loaded: { config }, file, log }: Served, port: number): void {
  const { host, tls, workers } = config.gateway
  const scheme = tls === undefined ? 'http' : 'https'
  log.info('the gateway is listening', {
    host,
    port,
    scheme,
    routes: config.routes.length,
    ...(workers > 1 ? { workers } : {}),
    file,
    version: readVersion(),
  })
}

function announceConsole({ loaded, log }: Served, { adminPort: port }: RunningGateway): void {
  const { admin } = loaded.config.gateway
  if (port !== undefined) log.info('the console is listening', { host: admin?.host, port })
}
