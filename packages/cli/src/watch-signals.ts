import type { Log } from '@agentic-rest/gateway'
import type { Host } from './host.ts'
import { exitCodes } from './host.ts'

interface Signals {
  /** Resolves with the first SIGTERM or SIGINT. */
  readonly toldToStop: Promise<void>
  isToldToStop(): boolean
}

/** Listens for stop and reload signals, and ends the process on an unhandled error. */
export function watchSignals(host: Host, log: Log, onReload: () => void): Signals {
  const { promise: toldToStop, resolve } = Promise.withResolvers<void>()
  let stopping = false
  let interrupted = false
  const stop = (signal: string) => {
    if (stopping) log.info(`${signal} changes nothing: the gateway is draining`)
    else log.info(`${signal} received`)
    stopping = true
    resolve()
  }
  host.on('SIGTERM', () => stop('SIGTERM'))
  host.on('SIGINT', () => {
    if (interrupted) endAtOnce(host, log)
    interrupted = true
    stop('SIGINT')
  })
  host.on('SIGHUP', () => {
    log.info('SIGHUP received')
    onReload()
  })
  endOnUnhandledErrors(host, log)
  return { toldToStop, isToldToStop: () => stopping }
}

function endAtOnce(host: Host, log: Log): never {
  log.warn('a second SIGINT ends the gateway at once')
  return host.exit(exitCodes.interrupted)
}

/** Ends the process on an unhandled error, because its state is unknown. */
export function endOnUnhandledErrors(host: Host, log: Log): void {
  const end = (error: unknown) => {
    log.error('an unhandled error ends the gateway', { error })
    host.exit(exitCodes.failed)
  }
  host.on('uncaughtException', end)
  host.on('unhandledRejection', end)
}
