import { Writable } from 'node:stream'
import { createGateway, createLog, formatFaults, parseConfig } from '@agentic-rest/gateway'

// Started by console-cost.ts: a gateway with a development admin listener. It reports its CPU time.
const [, , target = ''] = process.argv
const text = JSON.stringify({
  gateway: { port: 0, admin: { port: 0 } },
  plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
  routes: [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target }],
})
const parsed = parseConfig(text, { file: 'console-cost.yaml', env: {} })
if (!parsed.ok) throw new Error(formatFaults(parsed.faults))
const gateway = createGateway({
  config: parsed.config,
  baseFolder: '.',
  version: '0.0.0-bench',
  stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
  log: createLog({ level: 'silent', pretty: false, write: () => undefined }),
  admin: {
    development: {
      people: async () => [],
      requestToken: async () => Promise.reject(new Error('there are no tokens')),
    },
  },
})
const port = await gateway.start()

process.on('message', (question) => {
  if (question === 'ports') process.send?.({ port, adminPort: gateway.adminPort })
  else process.send?.(usedMicroseconds())
})

function usedMicroseconds(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
