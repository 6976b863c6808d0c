import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of `programs/` in a separate process. */
export interface RunningProgram {
  readonly process: ChildProcess
  /** The printed lines so far. */
  readonly lines: readonly string[]
  /** Resolves with a line with this start; rejects if the program ends before. */
  told(start: string): Promise<string>
  /** Resolves with the exit code or signal, and stderr. */
  readonly ended: Promise<{
    readonly code: number | null
    readonly signal: string | null
    readonly stderr: string
  }>
}

/** Starts a program with its settings. */
export function startProgram(name: string, settings: object): RunningProgram {
  const path = fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url))
  // Without V8's optimising compiler the embedded database starts in half the time.
  const flags = ['--conditions=agentic-source', '--liftoff-only']
  const child = spawn(process.execPath, [...flags, path, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stderr }))
  return { process: child, lines, ended, told: (start) => lineThatStarts(reader, { lines, start, ended }) }
}

interface Awaited {
  readonly lines: readonly string[]
  readonly start: string
  readonly ended: RunningProgram['ended']
}

async function lineThatStarts(
  reader: NodeJS.EventEmitter,
  { lines, start, ended }: Awaited,
): Promise<string> {
  const told = Promise.withResolvers<string>()
  const look = () => {
    const line = lines.find((each) => each.startsWith(start))
    if (line !== undefined) told.resolve(line)
  }
  reader.on('line', look)
  look()
  ended.then((end) => told.reject(new Error(`it ended without "${start}": ${JSON.stringify(end)}`)))
  try {
    return await told.promise
  } finally {
    reader.off('line', look)
  }
}
