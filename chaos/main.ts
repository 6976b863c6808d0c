import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommit } from '../bench/results.ts'
import { type Asked, readArguments } from './arguments.ts'
import type { ChaosContext } from './chaos-run.ts'
import { endDescendants } from './end-descendants.ts'
import { type ChaosResult, judged, reportOf } from './report.ts'
import { MissingProgramError } from './required-program.ts'
import { runs } from './runs.ts'

const exitCodes = { reached: 0, notReached: 1, usage: 2, stopped: 130 } as const
/** How long a run that is stopped has to put things away. */
const PUT_AWAY_MS = 5000

const HELP = `npm run chaos -- NAME [options]

Loads a gateway with faults and bad input and holds what comes of it against figures.

${runs
  .map(
    ({ name, title, full }) =>
      `  ${name.padEnd(16)} ${title} (${Object.keys(full)
        .map((key) => `--${key}`)
        .join(', ')})`,
  )
  .join('\n')}

  --short          The form that CI runs, in a few seconds.
  --seed N         Seed of everything that is left to chance.
  --output FOLDER  Where results are written; chaos/results unless given.
  --SCALE N        A number of the run's scale, such as --requests; the names are behind each run.

Ends with 0 when every figure is reached, with 1 when one is not, with 2 when it is called wrongly,
with 130 and without a result when it is stopped (SIGINT, SIGTERM, SIGHUP).
`

const exitCode = await main(process.argv.slice(2))
// A run that was stopped may still wait for something.
if (exitCode === exitCodes.stopped) process.exit(exitCode)
process.exitCode = exitCode

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP)
    return argv.length === 0 ? exitCodes.usage : exitCodes.reached
  }
  const asked = readArguments(argv)
  if (typeof asked !== 'string') return await perform(asked)
  process.stderr.write(`${asked}\n`)
  return exitCodes.usage
}

async function perform({ run, scale, seed, output }: Asked): Promise<number> {
  const folder = ownFolder(run.name)
  const tell: ChaosContext['tell'] = (line) => void process.stderr.write(`${line}\n`)
  const startedAt = performance.now()
  const signal = stopSignal()
  tell(`${run.name}: seed ${seed}, ${JSON.stringify(scale)}`)
  try {
    // What comes of a run that is stopped is nobody's news: its neighbours may have got the same signal.
    const tellWhile: ChaosContext['tell'] = (line) => {
      if (!signal.aborted) tell(line)
    }
    const measured = await untilStopped(run.run({ scale, seed, folder, tell: tellWhile, signal }), signal)
    if (measured === undefined) {
      tell(`${run.name}: ended before its time, nothing is reported`)
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
    putAway(folder)
  }
}

function putAway(folder: string): void {
  endDescendants()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function describe(error: unknown): string {
  if (error instanceof MissingProgramError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Everything temporary goes below it, so that nothing of it is left; PostgreSQL is somebody else and has to get through. */
function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `agentic-chaos-${name}-`))
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  // An error that nobody catches ends this process, too.
  process.once('exit', () => putAway(folder))
  return folder
}

/** A terminal that is closed is a wish to end, too; a gateway would take that signal for a wish to read its file again. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  return stop.signal
}

/** What a run came to; nothing if it was stopped, because what it then says it has not measured. */
async function untilStopped<T>(running: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => setTimeout(late.resolve, PUT_AWAY_MS, undefined))
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
