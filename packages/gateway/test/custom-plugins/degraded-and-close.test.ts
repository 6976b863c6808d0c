import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import type { PluginHooks } from '../../src/index.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const request = () => undefined

async function readiness(url: string) {
  const { status, body } = await sendRequest(`${url}/readyz`)
  return { status, text: body.toString() }
}

const reasons: Readonly<Record<string, readonly [degraded: () => unknown, shown: RegExp | undefined]>> = {
  'a reason': [() => 'the calendar is down', /mine: the calendar is down/],
  nothing: [() => undefined, undefined],
  'a promise': [async () => 'the calendar is down', undefined],
  'a number': [() => 7, undefined],
  'a long reason': [() => 'x'.repeat(10_000), /mine: x{256}"/],
  'an error': [
    () => {
      throw new Error('secret')
    },
    /mine: degraded failed/,
  ],
}

test.each(Object.keys(reasons))('a plugin that gives %s leaves the gateway ready', async (name) => {
  const [degraded, shown] = reasons[name] ?? [request, undefined]
  const { url } = await startWithPlugins([pluginOf({ request, degraded } as PluginHooks)])
  const { status, text } = await readiness(url)
  expect(status).toBe(200)
  expect(text).not.toContain('secret')
  if (shown === undefined) expect(text).not.toContain('mine')
  else expect(text).toMatch(shown)
})

test('close is called once, after the last request', async () => {
  const calls: string[] = []
  const plugin = pluginOf({
    request,
    response: () => void calls.push('response'),
    close: async () => void calls.push('close'),
  })
  const { gateway, url } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`)
  await gateway.drain()
  await gateway.close()
  expect(calls).toEqual(['response', 'close'])
})

const closings: Readonly<Record<string, readonly [close: () => unknown, message: string]>> = {
  throws: [
    () => {
      throw new Error('no')
    },
    'a plugin failed to close',
  ],
  rejects: [async () => Promise.reject(new Error('no')), 'a plugin failed to close'],
  'never ends': [() => new Promise(() => undefined), 'a plugin did not close in time'],
}

test.each(Object.keys(closings))('a close that %s does not keep the gateway', async (name) => {
  const [close, message] = closings[name] ?? [request, '']
  const { gateway, log } = await startWithPlugins([pluginOf({ request, close } as PluginHooks)])
  await gateway.close()
  expect(log.filter(({ level }) => level === 'warn').map(({ msg, plugin }) => [msg, plugin])).toContainEqual([
    message,
    'mine',
  ])
})
