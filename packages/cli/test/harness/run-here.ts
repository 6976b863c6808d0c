import { EventEmitter } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { runAgentic } from '../../src/agentic.ts'
import type { Host } from '../../src/host.ts'

/** How a command line ended and what it wrote. */
export interface EndedHere {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Where and with what a command line runs. */
export interface RunHere {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** What stands in the pipe; an empty one when absent. */
  readonly stdin?: string | undefined
}

/**
 * Runs a command line to its end inside this process, which takes a hundredth of the time of a process of its own.
 * Nothing is a terminal. One at a time: the folder is that of the whole process.
 */
export async function runHere(args: readonly string[], options: RunHere = {}): Promise<EndedHere> {
  const [stdout, stderr] = [collect(), collect()]
  const host = Object.assign(new EventEmitter(), {
    stdin: Readable.from([options.stdin ?? '']),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { NO_COLOR: '1', ...options.env },
    exit(code: number) {
      throw new Error(`a command that runs here must not end the process (${code})`)
    },
  }) as unknown as Host
  const code = await inFolder(options.cwd, () => runAgentic(args, host))
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

async function inFolder<T>(folder: string | undefined, work: () => Promise<T>): Promise<T> {
  const before = process.cwd()
  if (folder !== undefined) process.chdir(folder)
  try {
    return await work()
  } finally {
    process.chdir(before)
  }
}

function collect() {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
