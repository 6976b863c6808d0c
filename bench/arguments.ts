import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { scenarios } from './scenarios.ts'

/** The options of the command line. */
export interface Asked {
  readonly help: boolean
  readonly quick: boolean
  /** Other gateways on the PATH are measured; without `only`, nothing else. */
  readonly peers: boolean
  /** Whether a part is measured. */
  readonly wants: (name: string) => boolean
  /** Only some parts are measured. */
  readonly isPartial: boolean
  readonly rounds: number
  readonly seconds: number
  readonly seed: number
  readonly output: string
  /** Another checkout, with a gateway to measure in the same run. */
  readonly beside: string | undefined
}

/** The names of all parts. */
export const partNames = [
  ...scenarios.map(({ name }) => name),
  'cold-tokens',
  'latency',
  'streams',
  'sdk-streams',
  'start-up',
  'growth',
  'workers',
]

const NUMBER = /^\d+(\.\d+)?$/

/** The options, or the message about a wrong one. */
export function readArguments(args: readonly string[]): Asked | string {
  const values = parse(args)
  if (typeof values === 'string') return values
  const only = values.only?.flatMap((names) => names.split(',')) ?? (values.peers ? [] : undefined)
  const unknown = only?.filter((name) => !partNames.includes(name)) ?? []
  if (unknown.length > 0) return `unknown: ${unknown.join(', ')}. There are: ${partNames.join(', ')}`
  const { rounds = values.quick ? '3' : '5', seconds = values.quick ? '1' : '4' } = values
  const { seed = String(Date.now() % 1_000_000) } = values
  const fault = faultOf({ rounds, seconds }) ?? (NUMBER.test(seed) ? undefined : `--seed must be a number`)
  if (fault !== undefined) return fault
  return {
    help: values.help,
    quick: values.quick,
    peers: values.peers,
    wants: (name) => only?.includes(name) ?? true,
    isPartial: only !== undefined,
    rounds: Math.ceil(Number(rounds)),
    seconds: Number(seconds),
    seed: Number(seed),
    output: values.output,
    beside: values.beside,
  }
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        seed: { type: 'string' },
        beside: { type: 'string' },
        output: { type: 'string', default: join(import.meta.dirname, 'results') },
      },
    })
    return values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Zero rounds or seconds measure nothing. */
function faultOf(numbers: Readonly<Record<string, string>>): string | undefined {
  const [name, value] =
    Object.entries(numbers).find(([, text]) => !NUMBER.test(text) || Number(text) === 0) ?? []
  return name === undefined ? undefined : `--${name} must be a number above 0, not "${value}"`
}
