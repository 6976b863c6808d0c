import { join } from 'node:path'
import { outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { startMcpServer } from './http-server.ts'
import { clientKinds, connectByLines, type Json, type Person } from './official-clients.ts'
import { createOutcomeService, seenByWillingClients } from './outcome-service.ts'

const program = join(import.meta.dirname, 'bridge-program.ts')

test.each(clientKinds)('%s gets all ten outcomes over the lines of a program', async (kind) => {
  const service = createOutcomeService()
  const server = await startMcpServer({ host: (parts) => service.host(parts) })
  const person: Person = {
    asked: [],
    answer: ({ mode }) => ({ action: 'accept', ...(mode !== 'url' && { content: { goal: 'ctr' } }) }),
  }
  const args = ['--conditions=agentic-source', program, server.url]
  const client = await connectByLines(kind, { command: process.execPath, args }, person)
  const seen: Json = {}
  for (const type of outcomeTypes) {
    const result = await client.callTool({ name: 'outcome', arguments: { kind: type } })
    seen[type] = [result._meta['org.agentic-rest/outcome'].type, result.isError === true]
  }
  await client.close()
  await server.stop()
  expect(seen).toEqual(seenByWillingClients)
  expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
  expect(server.errors).toEqual([])
})
