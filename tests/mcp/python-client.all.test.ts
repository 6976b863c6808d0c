import { outcomeTypes } from '@agentic-rest/profile'
import { expect } from 'vitest'
import { startMcpServer } from './http-server.ts'
import { createOutcomeService, seenByWillingClients } from './outcome-service.ts'
import { testPython } from './python-client.ts'

testPython('the official Python client gets all ten outcomes', async (mode, run) => {
  const service = createOutcomeService()
  const server = await startMcpServer({ host: (parts) => service.host(parts) })
  const calls = outcomeTypes.map((wanted) => ({ wanted, name: 'outcome', arguments: { kind: wanted } }))
  const seen = await run({ url: server.url, mode, calls })
  await server.stop()
  expect(seen).toEqual({
    tools: [['outcome', 'get-operation']],
    outcomes: seenByWillingClients,
    asked: ['form', 'url'],
  })
  expect(server.errors).toEqual([])
})
