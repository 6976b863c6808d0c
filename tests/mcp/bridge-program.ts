import { createInterface } from 'node:readline'
import { createStdioBridge } from '../../packages/mcp/src/index.ts'

// The program of the tests: lines of the client to an endpoint, whose address is its argument.
const [url = ''] = process.argv.slice(2)
const bridge = createStdioBridge({
  url,
  headers: {},
  fetch,
  write: (line) => process.stdout.write(`${line}\n`),
})
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => void bridge.receive(line))
lines.on('close', () => bridge.close())
