import { spawn } from 'node:child_process'
import { isAbsolute, join, relative } from 'node:path'
import type { Fault } from './fault.ts'

interface Finished {
  readonly status: number | null
  readonly output: string
}

/** Format and lint faults of the repository, warnings included. */
export async function biomeFaults(root: string): Promise<Fault[]> {
  const args = [
    'ci',
    '--error-on-warnings',
    '--max-diagnostics=none',
    '--colors=off',
    '--reporter=github',
    '.',
  ]
  const result = await runTool(root, 'biome', args)
  return orRaw(result, 'biome', parseBiome(root, result.output))
}

/** Type faults of one TypeScript project. */
export async function typeFaults(root: string, project: string): Promise<Fault[]> {
  // Steps run one per core; more threads check shared declarations once each and take twice the processor time.
  const result = await runTool(root, 'tsc', [
    '-p',
    project,
    '--noEmit',
    '--pretty',
    'false',
    '--singleThreaded',
  ])
  return orRaw(result, project, parseTsc(project, result.output))
}

/** Reads `::error title=…,file=…,line=…::message`, the one line per fault of Biome's GitHub reporter. */
export function parseBiome(root: string, output: string): Fault[] {
  const form = /^::(?:error|warning|notice) title=([^,]*),file=([^,]*),line=(\d+)[^:]*::(.*)$/gm
  return [...output.matchAll(form)].map(([, title, file = '', line, message]) => ({
    path: isAbsolute(file) ? relative(root, file) : file,
    line: Number(line),
    message: title === 'format' ? 'is not formatted, run npm run format' : `${message} (${title})`,
  }))
}

/** Reads `path(line,column): error TS0000: message`; a fault without a place belongs to the project. */
export function parseTsc(project: string, output: string): Fault[] {
  const form = /^(?:(.+?)\((\d+),\d+\): )?error (TS\d+): (.*(?:\n {2}.*)*)$/gm
  return [...output.matchAll(form)].map(([, path = project, line = '1', code, message]) => ({
    path,
    line: Number(line),
    message: `${message} (${code})`,
  }))
}

// A tool that failed without a readable fault fails the step with its whole output.
function orRaw({ status, output }: Finished, path: string, faults: Fault[]): Fault[] {
  if (status === 0) return []
  if (faults.length > 0) return faults
  return [{ path, line: 1, message: `exit ${status}\n${output.trim()}` }]
}

function runTool(root: string, tool: string, args: readonly string[]): Promise<Finished> {
  const child = spawn(join(root, 'node_modules/.bin', tool), args, { cwd: root })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise(function waitForEnd(resolve, reject) {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString() }))
  })
}
