import { join } from 'node:path'
import { type ConfigSource, loadWorkers } from '@agentic-rest/gateway'
import type { Host } from './host.ts'
import { boundedWriter } from './open-log.ts'
import type { RunningGateway, Served } from './serve.ts'

/** The same program: a worker is told by its environment that it is one. */
const program = join(import.meta.dirname, '../bin/agentic.cjs')

interface Led extends Served {
  readonly consoleFolder: string | undefined
  readonly source: ConfigSource
}

/** A gateway of several processes, led by this one. */
export async function openWorkers(led: Led, host: Host): Promise<RunningGateway> {
  const { loaded, file, log, logLevel, consoleFolder, source } = led
  const { createPrimary } = await loadWorkers()
  const primary = createPrimary({
    loaded,
    source,
    log,
    consoleFolder,
    program: { file: program, args: ['start', '-c', file], env: host.env },
    logging: { level: logLevel, pretty: host.stderr.isTTY === true },
    stdout: host.stdout,
    writeLog: boundedWriter(host.stderr),
  })
  // Whatever ends this process at once ends the workers with it.
  host.on('exit', primary.kill)
  return primary
}
