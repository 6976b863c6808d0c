import { loadWorkers, WORKER_VARIABLE } from '@agentic-rest/gateway'
import { exitCodes } from './exit-codes.ts'
import type { Host } from './host.ts'
import { openLog } from './open-log.ts'
import { readVersion } from './version.ts'
import { endOnUnhandledErrors } from './watch-signals.ts'

/** Runs a worker of another process; resolves with the exit code. */
export async function runAsWorker(host: Host): Promise<number> {
  if (process.send === undefined) {
    host.stderr.write(
      `agentic start: ${WORKER_VARIABLE} is set by the process that starts workers, and by nobody else\n`,
    )
    return exitCodes.invalid
  }
  const { joinPrimary } = await loadWorkers()
  // A terminal and a supervisor signal all processes of a group. It is the primary that acts on it, for all of them.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, () => undefined)
  const tookRequests = await joinPrimary({
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
