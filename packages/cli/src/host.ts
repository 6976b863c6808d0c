/** The parts of the process that a command may use. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'on' | 'off' | 'exit'>

/** The environment variable that a supervisor sets for its workers. */
export const WORKER_VARIABLE = 'AGENTIC_WORKER'

const FLUSH_MS = 1000

/** Ends the process at once, with a moment for output that is still being written. */
export async function endProcess(host: Host, code: number): Promise<never> {
  const timer = setTimeout(() => host.exit(code), FLUSH_MS)
  await flushed(host)
  clearTimeout(timer)
  return host.exit(code)
}

/** Resolves when stdout and stderr have written everything. */
export async function flushed({ stdout, stderr }: Host): Promise<void> {
  await Promise.all([written(stdout), written(stderr)])
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })
}

/** The exit codes of the process (decision 33). */
export const exitCodes = {
  ok: 0,
  /** A start or a connection failed; a retry may help. */
  failed: 1,
  /** The file or the command line is invalid; a retry does not help. */
  invalid: 2,
  /** Ended at once by SIGINT: 128 plus the signal number, as shells report it. */
  interrupted: 130,
} as const

/** An exit code and its meaning. */
export type ExitCodeRow = readonly [code: number, meaning: string]

/** The exit codes as the help describes them. */
export const exitCodeHelp: readonly ExitCodeRow[] = [
  [exitCodes.ok, 'Success.'],
  [exitCodes.failed, 'It failed, for example because a port is taken; a retry may help.'],
  [exitCodes.invalid, 'A file or the command line is not valid; a retry does not help.'],
  [exitCodes.interrupted, 'Ended at once by Ctrl-C.'],
]
