import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MissingProgramError } from '@agentic-rest/testing/programs'
import { readCommit } from '../bench/results.ts'
import { type Asked, type AskedRun, readArguments } from './arguments.ts'
import type { ChaosContext } from './chaos-run.ts'
import { endDescendants } from './end-descendants.ts'
import { type ChaosResult, judged, reportOf } from './report.ts'
import { runs } from './runs.ts'

const exitCodes = { reached: 0, notReached: 1, usage: 2, stopped: 130 } as const
/** The time of a stopped run to clean up. */
const CLEAN_UP_MS = 5000

const HELP = `npm run chaos -- NAME... [options]

Loads a gateway with faults and bad input and compares the results with limits.

${runs
  .map(
    ({ name, title, full }) =>
      `  ${name.padEnd(16)} ${title} (${Object.keys(full)
        .map((key) => `--${key}`)
        .join(', ')})`,
  )
  .join('\n')}

  --short          The form for CI, a few seconds.
  --seed N         Seed of all random choices.
  --output FOLDER  Folder of the results, chaos/results by default.
  --SCALE N        A number of the run's scale, such as --requests; the names are listed after each run.

Several runs follow one another; a number is for each of them that has it.

Exit codes: 0 when all figures are reached, 1 when one is not, 2 for wrong arguments, 130 when a run is
stopped (SIGINT, SIGTERM, SIGHUP), which then has no result.
`

const exitCode = await main(process.argv.slice(2))
// A stopped run may still wait for something.
if (exitCode === exitCodes.stopped) process.exit(exitCode)
process.exitCode = exitCode

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP)
    return argv.length === 0 ? exitCodes.usage : exitCodes.reached
  }
  const asked = readArguments(argv)
  if (typeof asked !== 'string') return await performAll(asked)
  process.stderr.write(`${asked}\n`)
  return exitCodes.usage
}

/** The worst exit code of all runs; a stopped run ends them. */
async function performAll({ runs: asked, ...options }: Asked): Promise<number> {
  const signal = stopSignal()
  let worst: number = exitCodes.reached
  for (const each of asked) {
    worst = Math.max(worst, await perform(each, { ...options, signal }))
    if (signal.aborted) break
  }
  return worst
}

async function perform(
  { run, scale }: AskedRun,
  { seed, output, signal }: Omit<Asked, 'runs'> & { readonly signal: AbortSignal },
): Promise<number> {
  const parent = process.env['TMPDIR']
  const folder = ownFolder(run.name)
  const onExit = () => cleanUp(folder)
  // Also for an uncaught error.
  process.once('exit', onExit)
  const tell: ChaosContext['tell'] = (line) => void process.stderr.write(`${line}\n`)
  const startedAt = performance.now()
  tell(`${run.name}: seed ${seed}, ${JSON.stringify(scale)}`)
  try {
    // Results of a stopped run are not printed: its processes may have got the same signal.
    const tellWhile: ChaosContext['tell'] = (line) => {
      if (!signal.aborted) tell(line)
    }
    const measured = await untilStopped(run.run({ scale, seed, folder, tell: tellWhile, signal }), signal)
    if (measured === undefined) {
      tell(`${run.name}: stopped early, no report`)
      return exitCodes.stopped
    }
    const figures = judged(measured)
    const durationSeconds = (performance.now() - startedAt) / 1000
    publish({ name: run.name, ...origin(), seed, durationSeconds, scale, figures }, output)
    return figures.length > 0 && figures.every(({ reached }) => reached)
      ? exitCodes.reached
      : exitCodes.notReached
  } catch (error) {
    tell(describe(error))
    return exitCodes.notReached
  } finally {
    if (parent === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = parent
    cleanUp(folder)
    process.off('exit', onExit)
  }
}

function cleanUp(folder: string): void {
  endDescendants()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function describe(error: unknown): string {
  if (error instanceof MissingProgramError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The parent of all temporary files, removed at the end. PostgreSQL runs as another user and needs access. */
function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `agentic-chaos-${name}-`))
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return folder
}

/** SIGHUP of a closed terminal ends the run too; a gateway would reload its file at this signal. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  return stop.signal
}

/** The figures of a run; nothing for a stopped run, whose figures are not valid. */
async function untilStopped<T>(running: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => setTimeout(late.resolve, CLEAN_UP_MS, undefined))
  try {
    const result = await Promise.race([running, late.promise])
    return signal.aborted ? undefined : result
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function publish(result: ChaosResult, output: string): void {
  mkdirSync(output, { recursive: true })
  const name = `${result.name}-${result.date.slice(0, 19).replaceAll(':', '-')}.json`
  writeFileSync(join(output, name), `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(reportOf(result))
}

function origin(): Pick<ChaosResult, 'command' | 'date' | 'commit'> {
  return {
    command: ['npm run chaos --', ...process.argv.slice(2)].join(' '),
    date: new Date().toISOString(),
    commit: readCommit(),
  }
}
