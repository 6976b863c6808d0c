import { askedTokens } from '../packages/gateway/src/limits/usage/asked-tokens.ts'
import { usageTap } from '../packages/gateway/src/limits/usage/usage-tap.ts'
import { cpuMicroseconds } from './cpu-time.ts'

// The cost of reading tokens: CPU time per event of a stream, per whole answer and per request body, the least of several rounds.
// `node --conditions=agentic-source bench/usage-tap.ts`

const ROUNDS = 7
const MEBIBYTE = 1_048_576

/** An event as OpenAI sends it, with a member more. */
const event = (more = '') =>
  Buffer.from(
    `data: {"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1741570283,"model":"gpt-4o","service_tier":"default","system_fingerprint":"fp_50cad350e4","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}]${more}}\n\n`,
  )
const plain = event()
const events = {
  'an event without usage': [plain],
  'an event with "usage":null': [event(',"usage":null')],
  'an event with a report': [event(',"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}')],
  'an event in two parts': [plain.subarray(0, 100), plain.subarray(100)],
}
for (const [name, parts] of Object.entries(events)) {
  const tap = usageTap('text/event-stream', undefined)
  await report(name, 50_000, () => {
    for (const part of parts) tap?.chunk(part)
  })
}

const numbers = Array.from({ length: 52_000 }, (_, index) => Math.sin(index))
const embeddings = Buffer.from(JSON.stringify({ data: [{ embedding: numbers }], usage: {} }))
await report('an answer of 1 MiB of numbers', 20, () => {
  const tap = usageTap('application/json', undefined)
  for (let at = 0; at < embeddings.length; at += 65_536) tap?.chunk(embeddings.subarray(at, at + 65_536))
  tap?.end()
})

const content = 'He said "yes".\n'.repeat(MEBIBYTE / 17)
const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }], max_tokens: 100 }))
await report('a request body of 1 MiB of text', 20, () => askedTokens(body))

async function report(name: string, times: number, run: () => unknown): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = cpuMicroseconds(process.pid)
    for (let time = 0; time < times; time += 1) {
      const running = run()
      if (running instanceof Promise) await running
    }
    least = Math.min(least, (cpuMicroseconds(process.pid) - before) / times)
  }
  process.stdout.write(`${name}: ${least.toFixed(2)} µs\n`)
}
