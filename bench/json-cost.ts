import { parseJson } from '../packages/profile/src/parse-json.ts'
import { spreadOf } from './statistics.ts'

// Measures the time of parsing one JSON text: with the engine's parser alone, which may take a name with an escape for
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
const orders = Array.from({ length: 150 }, (_, index) => ({ ...order, id: `ord-${index}` }))
const prompt = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'Some words of a prompt.\n'.repeat(400) }],
}

const texts: Readonly<Record<string, string>> = {
  'a small body': JSON.stringify(order),
  'a list of 150 objects': JSON.stringify(orders),
  'a prompt with line breaks': JSON.stringify(prompt),
  'a list with escaped names': JSON.stringify(orders).replaceAll('"note"', String.raw`"\u006eote"`),
}

function microseconds(parse: (text: string) => unknown, text: string): number {
  const times = Math.ceil(BYTES / text.length)
  const start = performance.now()
  for (let count = 0; count < times; count += 1) parse(text)
  return ((performance.now() - start) * 1000) / times
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
