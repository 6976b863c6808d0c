import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import type { ChaosRun, Scale } from './chaos-run.ts'
import { runs } from './runs.ts'

/** A run and its numbers. */
export interface AskedRun {
  readonly run: ChaosRun
  readonly scale: Scale
}

/** The options of the command line. */
export interface Asked {
  /** One after another. */
  readonly runs: readonly AskedRun[]
  readonly seed: number
  readonly output: string
}

const names = runs.map((run) => run.name)
/** Numbers that must be above 0: repetitions of a run. */
const AMOUNTS = new Set([
  'connections',
  'cycles',
  'keys',
  'minutes',
  'operations',
  'reloads',
  'requests',
  'seconds',
  'terms',
  'vectors',
])
const NUMBER = /^\d+(\.\d+)?(e\d+)?$/

/** The options, or the message about a wrong one. A number of the scale is for each named run that has it. */
export function readArguments(argv: readonly string[]): Asked | string {
  const parsed = parseOptions(argv)
  if (typeof parsed === 'string') return parsed
  const { asked, options } = parsed
  const { short, output, ...numbers } = options
  const wrong = Object.entries(numbers).find(([, value]) => !NUMBER.test(String(value)))
  if (wrong !== undefined) return `--${wrong[0]} must be a number, 0 or more, not "${wrong[1]}"`
  const unknown = asked.find((name) => !names.includes(name))
  if (asked.length === 0 || unknown !== undefined)
    return `${wrongName(unknown)} There are: ${names.join(', ')}`
  const nothing = Object.keys(numbers).find((key) => AMOUNTS.has(key) && Number(numbers[key]) === 0)
  if (nothing !== undefined) return `--${nothing} must be above 0: nothing would be measured`
  const { seed = Date.now() % 1_000_000, ...given } = Object.fromEntries(
    Object.entries(numbers).map(([key, value]) => [key, Number(value)]),
  )
  const chosen = asked.flatMap((name) => runs.filter((run) => run.name === name))
  const foreign = Object.keys(given).find((key) => !chosen.some(({ full }) => Object.hasOwn(full, key)))
  if (foreign !== undefined) return `'--${foreign}' is no option of ${asked.join(', ')}`
  return {
    runs: chosen.map((run) => ({ run, scale: scaleOf(run, short === true, given) })),
    seed,
    output: typeof output === 'string' ? output : join(import.meta.dirname, 'results'),
  }
}

function scaleOf(run: ChaosRun, isShort: boolean, given: Scale): Scale {
  const own = Object.entries(given).filter(([key]) => Object.hasOwn(run.full, key))
  return { ...(isShort ? run.short : run.full), ...Object.fromEntries(own) }
}

function wrongName(name: string | undefined): string {
  return name === undefined
    ? 'the name of a run is missing.'
    : `unknown run "${name}"${didYouMean(name, names)}`
}

interface Parsed {
  readonly asked: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

function parseOptions(args: readonly string[]): Parsed | string {
  const numbers = runs.flatMap(({ full }) => Object.keys(full))
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(numbers.map((name) => [name, { type: 'string' as const }])),
        short: { type: 'boolean' },
        seed: { type: 'string' },
        output: { type: 'string' },
      },
    })
    // A second time it would do the same, by the same seed.
    return { asked: [...new Set(positionals)], options: values }
  } catch (error) {
    // Without Node's hint about arguments that begin with a dash: no run does.
    return String(error instanceof Error ? error.message : error).replace(/\. To specify .*/s, '')
  }
}
