import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openServer } from '@agentic-rest/testing/open-server'
import { createPacedLoad } from './console-cost/paced-load.ts'
import { spreadOf } from './statistics.ts'

// The cost of open consoles: CPU time of the gateway per request at a fixed rate, with three feeds and without, in turn.
// `node --conditions=agentic-source bench/console-cost.ts [--seconds 2] [--rounds 20] [--rate 2000]`

const FEEDS = 3
const LARGEST_SHARE = 0.1
const WARM_UP_MS = 10_000
const BODY = JSON.stringify({ id: 'item-1', text: 'x'.repeat(170) })

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '2000' },
  },
})
const [seconds, rounds, rate] = [values.seconds, values.rounds, values.rate].map(Number) as [
  number,
  number,
  number,
]

// A service with the same small answer to every request.
const upstream = await openServer(
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length })
    response.end(BODY)
  },
  { keepAliveTimeout: 60_000 },
)
const gateway = await startMeasuredGateway(upstream.url)
const load = await createPacedLoad(gateway.port)
await load.run(rate, WARM_UP_MS)

const pairs: { none: number; open: number }[] = []
for (let round = 0; round < rounds; round += 1) {
  process.stderr.write(`round ${round + 1} of ${rounds}\r`)
  // The order alternates, so that a change of the machine's speed affects both.
  const before = round % 2 === 0 ? await measure() : undefined
  const close = await openFeeds()
  const open = await measure()
  close()
  // The gateway notices the closed feeds at its next flush.
  await wait(200)
  pairs.push({ open, none: before ?? (await measure()) })
}
load.close()
await upstream.close()
gateway.stop()
report()

/** CPU microseconds of the gateway per request. */
async function measure(): Promise<number> {
  const before = await gateway.cpuMicroseconds()
  const answered = await load.run(rate, seconds * 1000)
  const used = (await gateway.cpuMicroseconds()) - before
  return used / answered
}

/** Compares pairs, not sums: measurements close in time share the load of the machine. */
function report(): void {
  const share = spreadOf(pairs.map(({ none, open }) => open / none - 1)).median
  const line = (name: string, key: 'none' | 'open') =>
    `${name.padEnd(18)} ${spreadOf(pairs.map((pair) => pair[key])).median.toFixed(1)} us of CPU per request\n`
  process.stdout.write(line('no console', 'none') + line(`${FEEDS} consoles open`, 'open'))
  process.stdout.write(`difference         ${(share * 100).toFixed(1)} %\n`)
  process.exitCode = share > LARGEST_SHARE ? 1 : 0
}

async function openFeeds(): Promise<() => void> {
  const requests = Array.from({ length: FEEDS }, () => get(`http://127.0.0.1:${gateway.adminPort}/api/feed`))
  const responses = await Promise.all(requests.map((request) => once(request, 'response')))
  for (const [response] of responses) response.on('error', () => undefined).resume()
  return () => {
    for (const request of requests) request.destroy()
  }
}

async function startMeasuredGateway(target: string) {
  const child = fork(new URL('./console-cost/measured-gateway.ts', import.meta.url), [target], {
    execArgv: ['--conditions=agentic-source'],
  })
  const ask = async (question: string) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  const { port, adminPort } = await ask('ports')
  return {
    port: port as number,
    adminPort: adminPort as number,
    cpuMicroseconds: async () => (await ask('cpu')) as number,
    stop: () => void child.kill('SIGKILL'),
  }
}
