import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** The real program, as linked by npm. */
export const agentic = join(import.meta.dirname, '../../bin/agentic.cjs')

// Halves the load time. Git ignores the folder.
const compileCache = join(import.meta.dirname, '../../../../.agentic/compile-cache')

/** The exit code and the output of a run. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The folder and the environment of a run. */
export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** A folder for one test with these files in it; removed when the test ends. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Runs `agentic` to its end. */
export async function runAgentic(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const running = spawnAgentic(args, options)
  return await running.ended
}

/** A gateway that `agentic start` runs. */
export interface Running {
  readonly child: Child
  /** Log lines so far, parsed. */
  readonly log: Record<string, unknown>[]
  /** Audit lines so far, parsed. */
  readonly audit: Record<string, unknown>[]
  readonly ended: Promise<Ended>
  /** Resolves with the first log line, past or future, whose message contains a text. */
  logged(message: string): Promise<Record<string, unknown>>
  /** Resolves when there is this number of audit lines. */
  audited(count: number): Promise<void>
}

/** Starts `agentic`. It is killed at the end of the test if it still runs. */
export function spawnAgentic(
  args: readonly string[],
  { cwd = tmpdir(), env = {} }: RunOptions = {},
): Running {
  const child = spawn(process.execPath, [agentic, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  return {
    child,
    log: stderr.lines,
    audit: stdout.lines,
    ended: endOf(child, stdout, stderr),
    logged: (message) => stderr.line((line) => String(line['msg']).includes(message)),
    async audited(count) {
      await stdout.line(() => stdout.lines.length >= count)
    },
  }
}

async function endOf(child: Child, stdout: Collected, stderr: Collected): Promise<Ended> {
  const [code, signal] = await once(child, 'close')
  return { code, signal, stdout: stdout.text(), stderr: stderr.text() }
}

type Line = Record<string, unknown>

interface Collected {
  readonly lines: Line[]
  text(): string
  line(fits: (line: Line) => boolean): Promise<Line>
}

/** Takes the listeners of a race away after its end. */
function leaving() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

function collect(stream: Readable): Collected {
  let text = ''
  let rest = ''
  const lines: Line[] = []
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.filter((part) => part.startsWith('{"')).map((part): Line => JSON.parse(part)))
  })
  return {
    lines,
    text: () => text,
    async line(fits) {
      for (;;) {
        const found = lines.find(fits)
        if (found !== undefined) return found
        if (stream.readableEnded) throw new Error(`the stream ended without the line:\n${text}`)
        const { signal, abort } = leaving()
        await Promise.race([once(stream, 'data', { signal }), once(stream, 'end', { signal })]).finally(abort)
      }
    },
  }
}
