import { exitCodes, type Host } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'
import type { Endpoint } from './endpoint.ts'

/** How long requests that were read before the end of stdin have to end. */
const GRACE_MS = 5000

/** Passes the messages of stdin on to a gateway and its messages to stdout, until stdin ends; resolves with the exit code. */
export async function serveLines({ url, headers }: Endpoint, host: Host): Promise<number> {
  const { createStdioBridge, readLines } = await import('@agentic-rest/mcp')
  const tell = (text: string) => void host.stderr.write(`agentic mcp: ${terminalLine(text)}\n`)
  const bridge = createStdioBridge({
    url: url.href,
    headers,
    fetch,
    write: (line) => written(host.stdout, line),
    onFailure: tell,
  })
  const stop = watchEnd(host, () => bridge.close())
  const open = new Set<Promise<void>>()
  tell(`passes messages on to ${url.href}`)
  try {
    for await (const line of readLines(chunksOf(host.stdin))) {
      const done = bridge.receive(line).finally(() => open.delete(done))
      open.add(done)
    }
  } catch (error) {
    if (stop.code === undefined) throw error
  }
  if (stop.code === undefined) await ended(open)
  bridge.close()
  // The errors of requests that did not end are still being written.
  await Promise.all(open)
  stop.release()
  return stop.code ?? exitCodes.ok
}

async function* chunksOf(stdin: Host['stdin']): AsyncGenerator<Buffer, void> {
  for await (const chunk of stdin) yield Buffer.from(chunk)
}

/** Resolves when the line has left the process, so that a client that does not read slows its streams down. */
function written(stdout: Host['stdout'], line: string): Promise<void> {
  return new Promise((resolve) => {
    if (stdout.destroyed) resolve()
    else stdout.write(`${line}\n`, () => resolve())
  })
}

async function ended(open: ReadonlySet<Promise<void>>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, GRACE_MS)
  await Promise.race([Promise.all(open), late])
  clearTimeout(timer)
}

interface End {
  /** The exit code of a signal, or of a client that reads no more; undefined while none of them came. */
  readonly code: number | undefined
  release(): void
}

function watchEnd(host: Host, onEnd: () => void): End {
  let code: number | undefined
  const end = (wanted: number) => {
    code ??= wanted
    onEnd()
    host.stdin.destroy()
  }
  const terminate = () => end(exitCodes.ok)
  const interrupt = () => end(exitCodes.interrupted)
  host.on('SIGTERM', terminate)
  host.on('SIGINT', interrupt)
  host.stdout.on('error', terminate)
  return {
    get code() {
      return code
    },
    release() {
      host.off('SIGTERM', terminate)
      host.off('SIGINT', interrupt)
      host.stdout.off('error', terminate)
    },
  }
}
