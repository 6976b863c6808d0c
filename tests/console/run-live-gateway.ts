import { Writable } from 'node:stream'
import { consoleFolder } from '@agentic-rest/console'
import { createGateway, createLog } from '@agentic-rest/gateway'
import { readConfig } from '@agentic-rest/testing/read-config'

// Started by live-gateway.ts. The first line of stdout has both ports.
const gateway = createGateway({
  config: readConfig(JSON.parse(process.argv[2] ?? '{}')),
  baseFolder: import.meta.dirname,
  version: '0.0.0-test',
  stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
  log: createLog({ level: 'error', pretty: false, write: (line) => void process.stderr.write(line) }),
  admin: {
    consoleFolder,
    development: { people: async () => [], requestToken: async () => ({ token: '', expiresAt: '' }) },
  },
})
const port = await gateway.start()
process.stdout.write(`${JSON.stringify([port, gateway.adminPort])}\n`)
