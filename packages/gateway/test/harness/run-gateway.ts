import { Writable } from 'node:stream'
import { readConfig } from '@agentic-rest/testing/read-config'
import { createGateway, createLog } from '../../src/index.ts'

// Started by gateway-process.ts: says its port on stdout, so the audit lines go nowhere.
const config = readConfig(JSON.parse(process.argv[2] ?? '{}'))
const gateway = createGateway({
  config,
  baseFolder: import.meta.dirname,
  version: '0.0.0-test',
  stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
  log: createLog({ level: 'warn', pretty: false, write: (line) => void process.stderr.write(line) }),
})
process.stdout.write(`${await gateway.start()}\n`)
