import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

const CLIENTS = 12
const RELOADS = 30

async function startNamed(name: string) {
  return await startUpstream((_request, response) => {
    // Wait: the service takes a moment, so that answers are on their way while the configuration changes.
    setTimeout(() => answerJson(response, { body: { from: name } }), 3)
  })
}

test('30 reloads under load fail no request, and what comes after a reload gets the new configuration', async () => {
  const [one, two] = [await startNamed('one'), await startNamed('two')]
  const targets = { one: one.url, two: two.url }
  const gateway = await startReloadable({ routes: [itemRoute(one.url)] })
  const seen = new Map<string, number>()
  const state = { done: false, settled: undefined as { readonly name: string } | undefined }
  const request = async () => {
    const { settled } = state
    const response = await fetch(`${gateway.url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })
    const { from } = (await response.json()) as { from: string }
    // Only of a request that no reload came close to can be said what it has to get.
    const known = settled !== undefined && settled === state.settled
    const answer = `${response.status} ${known && from !== settled.name ? 'stale' : 'right'}`
    seen.set(answer, (seen.get(answer) ?? 0) + 1)
    return from
  }
  const client = async () => {
    while (!state.done) await request()
  }
  const clients = Array.from({ length: CLIENTS }, client)
  for (let index = 1; index <= RELOADS; index += 1) {
    const name = index % 2 === 0 ? 'one' : 'two'
    state.settled = undefined
    expect(await gateway.reloadTo({ routes: [itemRoute(targets[name])] })).toMatchObject(applied)
    state.settled = { name }
    expect(await request()).toBe(name)
  }
  state.done = true
  await Promise.all(clients)
  expect([...seen.keys()]).toEqual(['200 right'])
  expect(seen.get('200 right')).toBeGreaterThan(RELOADS)
})
