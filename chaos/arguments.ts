import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import type { ChaosRun, Scale } from './chaos-run.ts'
import { runs } from './runs.ts'

/** The options of the command line. */
export interface Asked {
  readonly run: ChaosRun
  readonly scale: Scale
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

/** The options, or the message about a wrong one. */
export function readArguments(argv: readonly string[]): Asked | string {
  const { name, rest } = takeName(argv)
  const run = runs.find((each) => each.name === name)
  if (run === undefined) return `${wrongName(name)} There are: ${names.join(', ')}`
  const parsed = parseOptions(run, rest)
  if (typeof parsed === 'string') return parsed
  const { short, output, ...numbers } = parsed
  const wrong = Object.entries(numbers).find(([, value]) => !NUMBER.test(String(value)))
  if (wrong !== undefined) return `--${wrong[0]} must be a number, 0 or more, not "${wrong[1]}"`
  const nothing = Object.keys(numbers).find((key) => AMOUNTS.has(key) && Number(numbers[key]) === 0)
  if (nothing !== undefined) return `--${nothing} must be above 0: nothing would be measured`
  const { seed = Date.now() % 1_000_000, ...given } = Object.fromEntries(
    Object.entries(numbers).map(([key, value]) => [key, Number(value)]),
  )
  return {
    run,
    scale: { ...(short === true ? run.short : run.full), ...given },
    seed,
    output: typeof output === 'string' ? output : join(import.meta.dirname, 'results'),
  }
}

/** The name comes first; after an option, the name is searched behind it. */
function takeName(argv: readonly string[]): { readonly name: string; readonly rest: readonly string[] } {
  const at = argv[0]?.startsWith('-') ? argv.findIndex((word) => names.includes(word)) : 0
  return { name: argv[at] ?? '', rest: argv.toSpliced(Math.max(at, 0), at < 0 ? 0 : 1) }
}

function wrongName(name: string): string {
  return name === '' ? 'the name of a run is missing.' : `unknown run "${name}"${didYouMean(name, names)}`
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
