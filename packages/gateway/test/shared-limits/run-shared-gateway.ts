import { Writable } from 'node:stream'
import { readConfig } from '@agentic-rest/testing/read-config'
import { createKeyStore } from '../../src/idempotency/create-key-store.ts'
import { createGateway, createLog } from '../../src/index.ts'
import { createLimitStore } from '../../src/limits/policies/create-store.ts'
import { createStreamSlots } from '../../src/limits/streams/shared-slots.ts'

// A gateway in its own process, which can be killed. Its arguments are its configuration and lease times; its first line
// of output is its port.
const config = readConfig(JSON.parse(process.argv[2] ?? '{}'))
const times = JSON.parse(process.argv[3] ?? '{}')
const gateway = createGateway({
  config,
  baseFolder: import.meta.dirname,
  version: '0.0.0-test',
  stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
  log: createLog({ level: 'error', pretty: false, write: (line) => void process.stderr.write(line) }),
  keyStore: (world) => createKeyStore({ ...world, times }),
  limitStore: (world) => createLimitStore({ ...world, times }),
  streamSlots: (limit, world) => createStreamSlots(limit, { ...world, times }),
})
process.stdout.write(`${await gateway.start()}\n`)
