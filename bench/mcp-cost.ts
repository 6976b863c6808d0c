import { Agent, request } from 'node:http'
import { openServer } from '@agentic-rest/testing/open-server'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { cpuMicroseconds } from './cpu-time.ts'

// Measures the CPU time of a gateway for a POST by REST and for the same operation as a call of an MCP tool, in turn, in
// one process. `node --conditions=agentic-source bench/mcp-cost.ts`

const ROUNDS = 5
const REQUESTS = 4000
const CLIENTS = 8

const service = await openServer((incoming, response) => {
  incoming.resume()
  const headers = { 'Content-Type': 'application/json' }
  incoming.on('end', () => response.writeHead(200, headers).end('{"id":"s-1","nights":2}'))
})
const target = service.url
const tool = { input: 'none', description: 'Takes a room.' }
const routes = [{ id: 'take-room', method: 'POST', path: '/rooms/{room}/stays', target, mcp: tool }]
const gateway = await startGatewayProcess({ config: { mcp: {}, routes } })
const { port, pid } = gateway
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })

interface Sent {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

const rest: Sent = { path: '/rooms/12/stays', headers: {}, body: '{"nights":2}' }
const mcp: Sent = {
  path: '/mcp',
  headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'take-room' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'take-room',
      arguments: { room: '12', nights: 2 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
}

function send({ path, headers, body }: Sent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent })
    sent.setHeader('Content-Type', 'application/json').setHeader('Content-Length', Buffer.byteLength(body))
    sent.setHeader('X-Tenant-ID', 'acme')
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value)
    sent.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    sent.end(body)
  })
}

async function cost(kind: Sent): Promise<number> {
  const before = cpuMicroseconds(pid)
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let count = 0; count < REQUESTS / CLIENTS; count += 1) await send(kind)
    }),
  )
  return (cpuMicroseconds(pid) - before) / REQUESTS
}

const costs: { rest: number; mcp: number }[] = []
for (let round = 0; round <= ROUNDS; round += 1) costs.push({ rest: await cost(rest), mcp: await cost(mcp) })
// The first round compiles.
const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
for (const key of ['rest', 'mcp'] as const) {
  const median = middle(costs.slice(1).map((each) => each[key]))
  process.stdout.write(`${key}: ${median.toFixed(1)} µs a request (median of ${ROUNDS} rounds)\n`)
}
await gateway.stop()
agent.destroy()
await service.close()
