import { parseJson } from '../packages/profile/src/parse-json.ts'
import { spreadOf } from './statistics.ts'

// Measures the CPU time of parsing one JSON text: with the engine's parser alone, which may take a name with an escape for
// another one, and with the reader of the profile. `node --conditions=agentic-source bench/json-cost.ts`

const ROUNDS = 15
const BYTES = 4_000_000

const order = {
  id: 'ord-1',
  amount: 100_000,
  currency: 'JPY',
  dryRun: true,
  items: [1, 2, 3],
  note: 'urgent',
}
const orders = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ ...order, id: `ord-${index}` })))
/** As Python and .NET write names that are not ASCII: one of six names has an escape. */
const withEscapedNames = (text: string) => text.replaceAll('"note"', String.raw`"n\u00f6te"`)
const prompt = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'Some words of a prompt.\n'.repeat(400) }],
}

const texts: Readonly<Record<string, string>> = {
  'an object': JSON.stringify(order),
  '1 kB': orders(10),
  '1 kB with escaped names': withEscapedNames(orders(10)),
  '20 kB': orders(210),
  '20 kB with escaped names': withEscapedNames(orders(210)),
  'a prompt with line breaks': JSON.stringify(prompt),
}

function microseconds(parse: (text: string) => unknown, text: string): number {
  const times = Math.ceil(BYTES / text.length)
  const start = process.threadCpuUsage()
  for (let count = 0; count < times; count += 1) parse(text)
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / times
}

for (const [name, text] of Object.entries(texts)) {
  const engine: number[] = []
  const reader: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    engine.push(microseconds(JSON.parse, text))
    reader.push(microseconds(parseJson, text))
  }
  const [one, two] = [spreadOf(engine).median, spreadOf(reader).median]
  process.stdout.write(
    `${name} (${text.length} bytes): JSON.parse ${one.toFixed(2)} µs, parseJson ${two.toFixed(2)} µs, ${(two / one).toFixed(2)} times\n`,
  )
}
