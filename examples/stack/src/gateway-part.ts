import { dirname } from 'node:path'
import { createGateway, createLog, formatFaults, loadConfig } from '@agentic-rest/gateway'
import { developmentConfig } from './development-config.ts'
import { readVersion } from './version.ts'

const { GATEWAY_FILE = 'gateway.yaml', DEVELOPMENT_ISSUER, PORT } = process.env

const loaded = loadConfig(GATEWAY_FILE, process.env)
if (!loaded.ok) {
  process.stderr.write(`${formatFaults(loaded.faults)}\n`)
  process.exit(2)
}

const log = createLog({ level: 'info', pretty: false, write: (line) => void process.stderr.write(line) })
for (const warning of loaded.warnings) log.warn(warning)

const gateway = createGateway({
  config:
    DEVELOPMENT_ISSUER === undefined
      ? loaded.config
      : developmentConfig(loaded.config, { issuer: DEVELOPMENT_ISSUER, port: Number(PORT) }),
  baseFolder: dirname(GATEWAY_FILE),
  version: readVersion(),
  log,
  // Audit records; the stack writes them to a file and shows them.
  stdout: process.stdout,
})
await gateway.start()

const { promise: toldToStop, resolve: stop } = Promise.withResolvers<void>()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop())
await toldToStop
await gateway.drain()
process.exit(0)
