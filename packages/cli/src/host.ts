import { runAgentic } from './agentic.ts'
import { exitCodes } from './exit-codes.ts'

/** What a command may use of the process it runs in. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'on' | 'off' | 'exit'>

/** Runs the command line as this process. Node ends it when everything that was written is out. */
export async function runProcess(host: Host & Pick<NodeJS.Process, 'argv' | 'exitCode'>): Promise<void> {
  // Without a listener a reader that goes away (EPIPE) would end the process (F10).
  for (const stream of [host.stdout, host.stderr]) stream.on('error', ignoreError)
  try {
    host.exitCode = await runAgentic(host.argv.slice(2), host)
  } catch (error) {
    host.stderr.write(`agentic failed: ${error instanceof Error ? error.stack : String(error)}\n`)
    host.exitCode = exitCodes.failed
  }
}

function ignoreError(): void {}

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
