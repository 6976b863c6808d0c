import { createWriteStream } from 'node:fs'
import type { User } from './demo-users.ts'
import { startIdentity } from './identity.ts'
import type { TokenRecords } from './token-records.ts'

const { PORT, DATA_FOLDER, AUDIT_FILE, PEOPLE, MCP_RESOURCE, SERVICE_ACCOUNTS = '{}' } = process.env

const identity = await startIdentity({
  port: Number(PORT ?? 8085),
  dataFolder: DATA_FOLDER,
  serviceAccounts: new Map(Object.entries(JSON.parse(SERVICE_ACCOUNTS))),
  people: PEOPLE === undefined ? undefined : new Map<string, User>(JSON.parse(PEOPLE)),
  mcpResource: MCP_RESOURCE,
  records: AUDIT_FILE === undefined ? undefined : appendTo(AUDIT_FILE),
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => identity.close())

function appendTo(file: string): TokenRecords {
  const stream = createWriteStream(file, { flags: 'a' })
  // A write error loses records, but does not fail a token request.
  stream.on('error', ({ message }) => void process.stderr.write(`no records: ${message}\n`))
  return (record) => void stream.write(`${JSON.stringify(record)}\n`)
}
