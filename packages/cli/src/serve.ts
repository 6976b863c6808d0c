import { dirname, resolve } from 'node:path'
import {
  createGateway,
  type Gateway,
  InitialisationError,
  type LoadedConfig,
  type Log,
  loadConfig,
  watchConfig,
} from '@agentic-rest/gateway'
import { findConsoleFolder } from './console-folder.ts'
import { exitCodes } from './exit-codes.ts'
import type { Host } from './host.ts'
import { readVersion } from './version.ts'
import { watchSignals } from './watch-signals.ts'

/** What is served. */
export interface Served extends LoadedConfig {
  /** Where the configuration comes from; file names in it start from its folder. */
  readonly file: string
  /** Whether a changed file is reloaded by itself. */
  readonly watch: boolean
  readonly log: Log
}

/** Runs a gateway from its start to the end of its drain; resolves with the exit code. */
export async function serve(served: Served, host: Host): Promise<number> {
  const { log } = served
  const { promise: started, resolve: tellStarted } = Promise.withResolvers<Gateway>()
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
    if (error instanceof InitialisationError)
      log.error('the gateway did not start', { reason: error.message })
    else log.error('the gateway failed', { error })
    return exitCodes.failed
  }
}

async function openGateway({ config, warnings, file, log }: Served, host: Host): Promise<Gateway> {
  const consoleFolder = config.gateway.admin === undefined ? undefined : await findConsoleFolder(host)
  return createGateway({
    config,
    warnings,
    log,
    stdout: host.stdout,
    baseFolder: dirname(resolve(file)),
    version: readVersion(),
    admin: { consoleFolder, file },
    source: { file, read: () => loadConfig(file, host.env) },
  })
}

function announce({ config, file, log }: Served, port: number): void {
  const { host, tls } = config.gateway
  const scheme = tls === undefined ? 'http' : 'https'
  log.info('the gateway is listening', {
    host,
    port,
    scheme,
    routes: config.routes.length,
    file,
    version: readVersion(),
  })
}

function announceConsole({ config, log }: Served, { adminPort: port }: Gateway): void {
  if (port !== undefined) log.info('the console is listening', { host: config.gateway.admin?.host, port })
}
