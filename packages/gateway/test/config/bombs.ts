import { writeFileSync } from 'node:fs'
import { timesOfReference } from '@agentic-rest/testing/cpu-ratio'
import { parseConfig } from '../../src/config/parse-config.ts'

const MEBIBYTE = 1_048_576

const levels = 'abcdefghijklmnopqrstuvwxyz'
const laughs = (width: number): string => {
  const lines = [...levels].map((name, level) => {
    const item = level === 0 ? 'lol' : `*${levels[level - 1]}`
    return `${name}: &${name} [${Array(width).fill(item).join(', ')}]`
  })
  return lines.join('\n')
}
const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

/** Hostile files, each with a fault that it must have. */
export const bombs: Readonly<Record<string, { readonly text: string; readonly fault: RegExp }>> = {
  'a file of 50 MB': { text: 'x'.repeat(50 * MEBIBYTE), fault: /^the file is larger than 1048576 bytes$/ },
  'a billion laughs': { text: laughs(9), fault: /^the aliases stand for more than 200000 values$/ },
  'two to the 25 laughs': { text: laughs(2), fault: /^the aliases stand for more than 200000 values$/ },
  '66,000 aliases': {
    text: `a: &a 1\nb: [${'*a,'.repeat(66_000)}]`,
    fault: /^the file has more than 100 aliases$/,
  },
  'flow lists, 100,000 deep': { text: '['.repeat(100_000), fault: /^nesting is deeper than 64 levels$/ },
  'flow maps, 100,000 deep': { text: '{a: '.repeat(100_000), fault: /^nesting is deeper than 64 levels$/ },
  'block lists, 100,000 deep': { text: '- '.repeat(100_000), fault: /^nesting is deeper than 64 levels$/ },
  'explicit keys, 100,000 deep': { text: '? '.repeat(100_000), fault: /^nesting is deeper than 64 levels$/ },
  'block maps, 1,000 deep': {
    text: many(1000, (index) => `${' '.repeat(index)}a:`),
    fault: /^nesting is deeper than 64 levels$/,
  },
  'a huge merge': {
    text: `a: &a\n${many(10_000, (index) => `  k${index}: 1`)}\ngateway:\n${many(50, () => '  <<: *a')}`,
    fault: /^merge keys are not supported/,
  },
  'a megabyte of commas': {
    text: `a: [${','.repeat(MEBIBYTE - 5)}]`,
    fault: /^the file has more than 200000 YAML tokens$/,
  },
  'a megabyte of line ends': {
    text: '\n'.repeat(MEBIBYTE),
    fault: /^the file has more than 200000 YAML tokens$/,
  },
  '199,000 commas': {
    text: `gateway: [${','.repeat(199_000)}]`,
    fault: /^not valid YAML: unexpected text here/,
  },
  '199,000 closing brackets': { text: ']'.repeat(199_000), fault: /^not valid YAML: unexpected text here/ },
  '66,000 anchors on one value': {
    text: `a: ${'&a '.repeat(66_000)}`,
    fault: /^not valid YAML: A node can have at most one anchor$/,
  },
  '66,000 documents': { text: '---\n'.repeat(66_000), fault: /^a second YAML document starts here/ },
  '22,000 unknown keys': {
    text: many(22_000, (index) => `k${index}: 1`),
    fault: /^and 21002 more faults from here on$/,
  },
  '22,000 equal keys': {
    text: 'gateway: {}\n'.repeat(22_000),
    fault: /^duplicate key "gateway", first given on line 1$/,
  },
  '26,000 empty routes': {
    text: `routes:\n${'- {}\n'.repeat(26_000)}`,
    fault: /^and \d+ more faults from here on$/,
  },
  'half a million broken references': {
    text: `gateway: "${'${'.repeat(500_000)}"`,
    fault: /^is not a valid reference/,
  },
  'a path of a megabyte': {
    text: `routes: [{path: "${'/a'.repeat(500_000)} "}]`,
    fault: /^must percent-encode blanks/,
  },
  'a pattern of a megabyte': {
    text: `plugins: { prompt-sanitize: { rules: [ { name: a, regex: "${'('.repeat(MEBIBYTE - 100)}" } ] } }`,
    fault: /^is not a valid regular expression/,
  },
}

/** The refusal of one file. */
export interface Refusal {
  readonly messages: readonly string[]
  /** The CPU time, as a multiple of the time to read a MiB of text. */
  readonly cost: number
}

/** The most that a file may cost. Measured: up to 180. */
export const MOST_COST = 450

async function refuse(text: string): Promise<Refusal> {
  let messages: readonly string[] = []
  const work = () => {
    const result = parseConfig(text, { file: 'bomb.yaml', env: {} })
    messages = result.ok ? [] : result.faults.map(({ message }) => message)
  }
  return { cost: await timesOfReference({ work, below: MOST_COST }), messages }
}

// A separate program, `node bombs.ts RESULT`: in the process of other tests their garbage is collected meanwhile.
if (process.argv[1] === import.meta.filename) {
  const [resultFile = ''] = process.argv.slice(2)
  const refusals: Record<string, Refusal> = {}
  for (const [name, { text }] of Object.entries(bombs)) refusals[name] = await refuse(text)
  writeFileSync(resultFile, JSON.stringify(refusals))
}
