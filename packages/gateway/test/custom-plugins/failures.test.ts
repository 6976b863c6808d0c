import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const SECRET = 'secret of the plugin at 10.0.0.1'

const failures: Readonly<Record<string, () => never | Promise<never>>> = {
  'an error': () => {
    throw new Error(SECRET)
  },
  'a text': () => {
    throw SECRET
  },
  nothing: () => {
    throw undefined
  },
  'an error in a promise': () => Promise.reject(new Error(SECRET)),
  'an error later': () => new Promise((_resolve, reject) => setImmediate(reject, new Error(SECRET))),
  'an error in a getter of its promise': () =>
    Object.defineProperty({}, 'then', { get: () => failures['an error']?.() }) as Promise<never>,
}

test.each(Object.keys(failures))('a plugin that throws %s fails its request alone', async (name) => {
  const plugin = pluginOf({
    request: ({ headers }) => (headers['x-fault'] === undefined ? undefined : failures[name]?.()),
  })
  const { url, log, upstream } = await startWithPlugins([plugin])
  const others = Array.from({ length: 5 }, () => sendRequest(`${url}/items/1`))
  const answer = await sendRequest(`${url}/items/1`, { headers: { 'x-fault': '1' } })
  expectRefusal(answer, 500, 'PLUGIN_FAILED')
  expect(answer.body.toString()).not.toContain(SECRET)
  for (const { status } of await Promise.all(others)) expect(status).toBe(200)
  expect(upstream.requests).toHaveLength(5)
  expect(log.filter(({ level }) => level === 'error')).toMatchObject([
    { msg: 'a plugin failed', plugin: 'mine', request_id: 'req-1' },
  ])
})
