import { dirname, resolve } from 'node:path'
import {
  createGateway,
  type Gateway,
  type GatewayConfig,
  InitialisationError,
  type Log,
} from '@agentic-rest/gateway'
import { exitCodes } from './exit-codes.ts'
import type { Host } from './host.ts'
import { readVersion } from './version.ts'
import { watchSignals } from './watch-signals.ts'

/** What is served. */
export interface Served {
  readonly config: GatewayConfig
  /** Where the configuration comes from; file names in it start from its folder. */
  readonly file: string
  readonly log: Log
}

/** Runs a gateway from its start to the end of its drain; resolves with the exit code. */
export async function serve(served: Served, host: Host): Promise<number> {
  const { log } = served
  const signals = watchSignals(host, log)
  warn(served)
  try {
    const gateway = openGateway(served, host)
    announce(served, await gateway.start())
    await signals.toldToStop
    await gateway.drain()
    return exitCodes.ok
  } catch (error) {
    if (error instanceof InitialisationError)
      log.error('the gateway did not start', { reason: error.message })
    else log.error('the gateway failed', { error })
    return exitCodes.failed
  }
}

function openGateway({ config, file, log }: Served, { stdout }: Host): Gateway {
  return createGateway({ config, log, stdout, baseFolder: dirname(resolve(file)), version: readVersion() })
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

function warn({ config, log }: Served): void {
  if (config.gateway.admin !== undefined)
    log.warn('gateway.admin is configured, but there is no admin listener yet: it comes with the console')
}
