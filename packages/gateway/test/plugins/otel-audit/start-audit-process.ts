import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { AuditReport, AuditTask } from './audit-process.ts'

/** A process that audits to its own stdout. */
export interface AuditProcess {
  /** The readable end of its stdout, not read yet; null when stdout is a file. */
  readonly stdout: Readable | null
  /** Drives all requests; resolves after the last one. */
  run(): Promise<AuditReport>
  /** Closes the plugin; resolves with the final count. */
  close(): Promise<AuditReport>
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ exitCode: number | null; log: Record<string, unknown>[] }>
}

const script = fileURLToPath(new URL('./audit-process.ts', import.meta.url))

/** Starts the process; `stdout` is a pipe unless a file descriptor is given. */
export async function startAuditProcess(
  task: Partial<AuditTask>,
  stdout: 'pipe' | number = 'pipe',
): Promise<AuditProcess> {
  const full: AuditTask = { exporter: 'stdout', otlpEndpoint: '', requests: 1, bodyBytes: 0, ...task }
  const args = ['--expose-gc', '--conditions=agentic-source', script, JSON.stringify(full)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe', 'ipc'] })
  const log = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  const ended = once(child, 'exit').then(async ([exitCode]) => ({ exitCode, log: parseLines(await log) }))
  await once(child, 'message')
  return {
    stdout: child.stdout,
    run: () => ask(child, 'start'),
    close: () => ask(child, 'close'),
    ended,
  }
}

async function ask(child: ChildProcess, question: string): Promise<AuditReport> {
  const answer = once(child, 'message')
  child.send(question)
  const [report] = (await answer) as [AuditReport]
  return report
}

/** Parses JSON lines; throws for an incomplete line. */
export function parseLines(lines: string): Record<string, unknown>[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
