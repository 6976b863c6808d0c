import { expect, test } from 'vitest'
import { clientName, startTools } from './harness/start-tools.ts'

test('routes have their tools, and requests the call that they were made for', async () => {
  const { adminUrl, url, takeRoom } = await startTools()
  const read = async (path: string) => (await fetch(`${adminUrl}${path}`)).json()
  await expect
    .poll(() => read('/api/routes'))
    .toMatchObject({
      routes: [
        { id: 'take-room', tool: { name: 'take-room' } },
        {
          id: 'read-room',
          tool: {
            name: 'see-room',
            fault: 'no_document',
            why: 'the document of the service cannot be read',
          },
        },
        { id: 'list-rooms', tool: null },
      ],
    })
  await takeRoom('stay-1')
  await (await fetch(`${url}/rooms`, { headers: { 'X-Tenant-ID': 'acme' } })).arrayBuffer()
  const client = clientName.slice(0, 64)
  const call = { tool: 'take-room', client, version: '2026-07-28' }
  const { requests } = (await read('/api/requests')) as { requests: { requestId: string; mcp?: unknown }[] }
  expect(requests.map(({ mcp }) => mcp)).toEqual([undefined, { ...call, round: 2 }, { ...call, round: 1 }])
  expect(await read('/api/recent')).toMatchObject({
    exchanges: [
      { requests: [{ route: 'list-rooms' }] },
      {
        correlationId: 'stay-1',
        requests: [
          { outcome: 'clarification_required', mcp: { ...call, round: 1 } },
          { outcome: 'success', mcp: { ...call, round: 2 } },
        ],
      },
    ],
  })
  expect(await read(`/api/exchanges/${requests[1]?.requestId}`)).toMatchObject({ mcp: { ...call, round: 2 } })
  // Without otel-audit the record is one of the console.
  expect(await read('/api/records?correlation_id=stay-1')).toMatchObject({
    records: [
      { attributes: { via: 'mcp', mcp_tool: 'take-room', mcp_client: client, mcp_round: '1' } },
      { attributes: { via: 'mcp', mcp_version: '2026-07-28', mcp_round: '2' } },
    ],
  })
})
