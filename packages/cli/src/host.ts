import { runAgentic } from './agentic.ts'
import { exitCodes } from './exit-codes.ts'

/** What a command may use of the process it runs in. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'on' | 'off' | 'exit'>

/** Runs the command line as this process. Node ends it when everything that was written is out. */
export async function runProcess(host: Host & Pick<NodeJS.Process, 'argv' | 'exitCode'>): Promise<void> {
  const lost = watchLosses(host)
  try {
    host.exitCode = await runAgentic(host.argv.slice(2), host)
  } catch (error) {
    host.stderr.write(`agentic failed: ${error instanceof Error ? error.stack : String(error)}\n`)
    host.exitCode = exitCodes.failed
  }
  await Promise.all([written(host.stdout), written(host.stderr)])
  if (lost.size === 0) return
  for (const reason of lost)
    host.stderr.write(`agentic: not all of the result could be written (${reason})\n`)
  // Who goes by the code alone must not take a result that nobody got for a good one.
  if (host.exitCode === exitCodes.ok) host.exitCode = exitCodes.failed
}

/** Why something that was written got lost. A reader that goes away, as `head` does, has lost nothing that it wanted. */
function watchLosses({ stdout, stderr }: Host): ReadonlySet<string> {
  const lost = new Set<string>()
  // Without a listener an error of a stream would end the process (F10).
  const hear = ({ code = 'unknown' }: NodeJS.ErrnoException) => void (code !== 'EPIPE' && lost.add(code))
  for (const stream of [stdout, stderr]) stream.on('error', hear)
  return lost
}

const FLUSH_MS = 1000

/** Ends the process now, whatever is still open in it. What was written gets a moment to leave. */
export async function endProcess(host: Host, code: number): Promise<never> {
  const timer = setTimeout(() => host.exit(code), FLUSH_MS)
  await Promise.all([written(host.stdout), written(host.stderr)])
  clearTimeout(timer)
  return host.exit(code)
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })
}
