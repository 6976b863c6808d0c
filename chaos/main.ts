import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { readCommit } from '../bench/read-commit.ts'
import type { ChaosContext, ChaosRun, Scale } from './chaos-run.ts'
import { type ChaosResult, judged, reportOf } from './report.ts'
import { runs } from './runs.ts'

const exitCodes = { reached: 0, notReached: 1, usage: 2 } as const

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

Ends with 0 when every figure is reached, with 1 when one is not, with 2 when it is called wrongly.
`

/** What the command line asks for. */
interface Asked {
  readonly run: ChaosRun
  readonly scale: Scale
  readonly seed: number
  readonly output: string
}

process.exitCode = await main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || argv.includes('--help')) {
    process.stdout.write(HELP)
    return argv.length === 0 ? exitCodes.usage : exitCodes.reached
  }
  const asked = readArguments(argv)
  if (typeof asked !== 'string') return await perform(asked)
  process.stderr.write(`${asked}\n`)
  return exitCodes.usage
}

/** What is asked for, or what is wrong with it. */
function readArguments([name = '', ...rest]: readonly string[]): Asked | string {
  const names = runs.map((run) => run.name)
  const run = runs.find((each) => each.name === name)
  if (run === undefined)
    return `unknown run "${name}"${didYouMean(name, names)} There are: ${names.join(', ')}`
  const parsed = parseOptions(run, rest)
  if (typeof parsed === 'string') return parsed
  const { short, seed, output, ...numbers } = parsed
  const given = Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Number(value)]))
  const wrong = Object.entries({ ...given, seed: Number(seed ?? 0) }).find(
    ([, value]) => !Number.isFinite(value),
  )
  if (wrong !== undefined) return `--${wrong[0]} must be a number`
  return {
    run,
    scale: { ...(short === true ? run.short : run.full), ...given },
    seed: Number(seed ?? Date.now() % 1_000_000),
    output: typeof output === 'string' ? output : join(import.meta.dirname, 'results'),
  }
}

function parseOptions(run: ChaosRun, args: readonly string[]): Record<string, unknown> | string {
  const numbers = Object.keys(run.full).map((name) => [name, { type: 'string' as const }])
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries(numbers),
        short: { type: 'boolean' },
        seed: { type: 'string' },
        output: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function perform({ run, scale, seed, output }: Asked): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `agentic-chaos-${run.name}-`))
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const tell: ChaosContext['tell'] = (line) => void process.stderr.write(`${line}\n`)
  const startedAt = performance.now()
  tell(`${run.name}: seed ${seed}, ${JSON.stringify(scale)}`)
  try {
    const figures = judged(await run.run({ scale, seed, folder, tell, signal: stop.signal }))
    const durationSeconds = (performance.now() - startedAt) / 1000
    publish({ name: run.name, ...origin(), seed, durationSeconds, scale, figures }, output)
    return figures.length > 0 && figures.every(({ reached }) => reached)
      ? exitCodes.reached
      : exitCodes.notReached
  } catch (error) {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return exitCodes.notReached
  } finally {
    rmSync(folder, { recursive: true, force: true })
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
