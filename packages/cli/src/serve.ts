import { dirname, resolve } from 'node:path'
import {
  createGateway,
  InitialisationError,
  type LoadedResult,
  type Log,
  type LogLevel,
  loadConfig,
  watchConfig,
} from '@agentic-rest/gateway'
import { findConsoleFolder } from './console-folder.ts'
import type { Host } from './host.ts'
import { exitCodes } from './host.ts'
import { readVersion } from './version.ts'
import { watchSignals } from './watch-signals.ts'
import type { RunningGateway } from './workers.ts'

/** The settings of a gateway that this process serves. */
export interface Served {
  readonly loaded: Extract<LoadedResult, { readonly ok: true }>
  /** The configuration file. File names in it are relative to its folder. */
  readonly file: string
  /** Whether a change of the file reloads it. */
  readonly watch: boolean
  readonly log: Log
  readonly logLevel: LogLevel
}

/** Runs a gateway until its drain is complete; resolves with the exit code. */
export async function serve(served: Served, host: Host): Promise<number> {
  const { log } = served
  const { promise: started, resolve: tellStarted } = Promise.withResolvers<RunningGateway>()
  // A reload during the start waits for the end of the start.
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
    // A signal to the process group may end workers that are still starting. That start was to be stopped anyway.
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
  if (port === undefined) return
  log.info('the console is listening', {
    host: admin?.host,
    port,
    ...(admin?.tls === undefined ? {} : { scheme: 'https' }),
  })
}
