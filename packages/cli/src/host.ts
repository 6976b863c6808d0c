/** The parts of the process that a command may use. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'on' | 'off' | 'exit'>

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
