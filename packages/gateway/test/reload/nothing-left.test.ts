import { eventually } from '@agentic-rest/testing/eventually'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { collectGarbage } from '../harness/collect-garbage.ts'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

const RELOADS = 20

/** What would keep the process alive, counted by kind. */
function openResources(): Record<string, number> {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]))
}

test('20 reloads, each with requests, leave neither handles nor listeners nor configurations behind', async () => {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const config = (index: number) => ({
    gateway: { limits: { max_in_flight: 100 + index } },
    plugins: {
      'token-validator': {
        issuers: [{ issuer: issuer.url, jwks_uri: issuer.jwksUri, algorithms: ['EdDSA'] }],
      },
    },
    // Another name is another pool, so that each configuration has connections of its own.
    routes: [{ ...itemRoute(upstream.url), id: `item-${index}` }],
  })
  const gateway = await startReloadable(config(0))
  const token = await issuer.token({ claims: { tenant_id: 'acme' } })
  const send = async () => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Tenant-ID': 'acme' }
    const response = await fetch(`${gateway.url}/items`, { headers })
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: {} })
  }
  const connections = () =>
    new Promise<number>((resolve) => upstream.server.getConnections((_error, count) => resolve(count)))
  await send()
  const before = openResources()
  const configs: WeakRef<object>[] = []
  for (let index = 1; index <= RELOADS; index += 1) {
    expect(await gateway.reloadTo(config(index))).toMatchObject(applied)
    const read = gateway.reads.pop()
    if (read?.ok) configs.push(new WeakRef(read.config))
    await send()
  }
  expect(await eventually(connections, (count) => count <= 1)).toBeLessThanOrEqual(1)
  // The runner of the tests has timers and messages of its own, for a moment each.
  await eventually(openResources, (after) =>
    Object.entries(after).every(([kind, count]) => count - (before[kind] ?? 0) <= 2),
  )
  const alive = await eventually(
    () => {
      collectGarbage()
      return configs.filter((config) => config.deref() !== undefined).length
    },
    (count) => count <= 1,
  )
  expect(alive).toBe(1)
})
