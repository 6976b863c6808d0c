import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import type { PluginResult } from '../../src/index.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

test('response sees the result of every routed request, also of a refused one', async () => {
  const results: (PluginResult | undefined)[] = []
  const plugin = pluginOf({
    request: ({ result }) => void results.push(result),
    response: ({ result, tenantId }) =>
      void results.push(result && { ...result, label: `${result.label} ${tenantId}` }),
  })
  const { url } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`)
  await expect
    .poll(() => results)
    .toEqual([undefined, { status: 200, label: 'success acme', outcomeType: 'success' }])
  await sendRequest(`${url}/items/1`, { headers: { 'x-tenant-id': '' } })
  await sendRequest(`${url}/nowhere`)
  await expect
    .poll(() => results.slice(2))
    .toEqual([{ status: 403, label: 'forbidden undefined', outcomeType: 'forbidden' }])
})

test('a plugin may have a response alone', async () => {
  const results: unknown[] = []
  const plugin = pluginOf({ response: ({ result }) => void results.push(result?.status) })
  const { url } = await startWithPlugins([plugin])
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  await expect.poll(() => results).toEqual([200])
})

const bad: Readonly<Record<string, () => void | Promise<void>>> = {
  throws: () => {
    throw new Error('no response')
  },
  rejects: () => Promise.reject(new Error('no response')),
  'never ends': () => new Promise(() => undefined),
}

test.each(Object.keys(bad))(
  'a response that %s changes nothing for the client, nor for the record',
  async (name) => {
    const response = () => bad[name]?.()
    const { url, audit, log, gateway } = await startWithPlugins([pluginOf({ response })])
    expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
    await expect.poll(() => audit).toHaveLength(1)
    await gateway.drain()
    const lines = log.filter(({ level }) => level === 'error')
    expect(lines).toHaveLength(name === 'never ends' ? 0 : 1)
  },
)
