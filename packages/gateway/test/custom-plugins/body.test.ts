import { request } from 'node:http'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Exchange } from '../../src/index.ts'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const json = { 'content-type': 'application/json' }

test('a plugin reads the body, and the upstream gets it all the same', async () => {
  const read: unknown[] = []
  const plugin = pluginOf({
    async request({ body }) {
      read.push(body.length, new TextDecoder().decode(await body.read()), await body.read(3), body.length)
    },
  })
  const { url, upstream } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{"a":1}' })
  await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: Readable.from(['{"b"', ':2}']) })
  await sendRequest(`${url}/items/1`)
  expect(read).toEqual([
    7,
    '{"a":1}',
    undefined,
    7,
    undefined,
    '{"b":2}',
    undefined,
    7,
    0,
    '',
    new Uint8Array(),
    0,
  ])
  expect(upstream.requests.map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"b":2}', ''])
})

test('what a plugin does to the bytes it read changes nothing', async () => {
  const plugin = pluginOf({ request: async ({ body }) => void (await body.read())?.fill(120) })
  const { url, upstream } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{"a":1}' })
  expect(upstream.requests[0]?.body.toString()).toBe('{"a":1}')
})

test('a plugin replaces the body by text or bytes; the forwarded request is framed anew', async () => {
  const bytes = new TextEncoder().encode('{"longer":"than before"}')
  const plugin = pluginOf({
    request({ body, headers }) {
      body.replace(headers['x-as'] === 'text' ? '{"ü":1}' : bytes)
      // The plugin may use its memory again.
      bytes.fill(0)
    },
  })
  const { url, upstream } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{"a":1}' })
  await sendRequest(`${url}/items/1`, {
    method: 'POST',
    headers: { ...json, 'x-as': 'text' },
    body: '{"a":1}',
  })
  expect(upstream.requests.map(({ body, headers }) => [body.toString(), headers['content-length']])).toEqual([
    ['{"longer":"than before"}', '24'],
    ['{"ü":1}', '8'],
  ])
})

test('a replaced body is not encoded: the header goes, and prompt-sanitize looks at the new bytes', async () => {
  const encoded = { ...json, 'content-encoding': 'gzip', 'content-digest': 'sha-256=:x:' }
  const decode = pluginOf({
    request: async ({ body }) => body.replace(gunzipSync((await body.read()) ?? '')),
  })
  const plugins = { 'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] } }
  const { url, upstream } = await startWithPlugins([{ plugin: decode, after: 'license-check' }], { plugins })
  const body = gzipSync('{"to":"a@example.test"}')
  expect((await sendRequest(`${url}/items/1`, { method: 'POST', headers: encoded, body })).status).toBe(200)
  const [seen] = upstream.requests
  expect(seen?.body.toString()).toBe('{"to":"[REDACTED:email]"}')
  expect([seen?.headers['content-encoding'], seen?.headers['content-digest']]).toEqual([undefined, undefined])
})

test('a request without a body cannot get one', async () => {
  const plugin = pluginOf({ request: ({ body }) => body.replace('{}') })
  const { url, log } = await startWithPlugins([plugin])
  for (const method of ['GET', 'POST'])
    expectRefusal(await sendRequest(`${url}/items/1`, { method }), 500, 'PLUGIN_FAILED')
  const [line] = log.filter(({ level }) => level === 'error')
  expect(line).toMatchObject({
    plugin: 'mine',
    error: expect.stringMatching(/^TypeError: the request has no body to replace\n/),
  })
})

test('a read that no plugin waits for and that fails ends nothing', async () => {
  const reads: string[] = []
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const plugin = pluginOf({
    request({ body, signal }) {
      void body.read()
      reads.push('started')
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(void reads.push('left'))),
      )
    },
  })
  const { url } = await startWithPlugins([plugin])
  const client = request(`${url}/items/1`, {
    method: 'POST',
    headers: { ...json, 'x-tenant-id': 'acme', 'content-length': 10 },
  })
  client.on('error', () => undefined).write('{')
  await expect.poll(() => reads).toEqual(['started'])
  client.destroy()
  await expect.poll(() => reads).toEqual(['started', 'left'])
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).not.toHaveBeenCalled()
})

test('the body cannot be replaced after request has failed', async () => {
  const late: unknown[] = []
  const attempt = ({ body }: Exchange) => {
    try {
      body.replace('forged')
    } catch (error) {
      late.push(error)
    }
  }
  const throwing = () => {
    throw new Error('no')
  }
  for (const request of [throwing, () => Promise.reject(new Error('no'))]) {
    const { url } = await startWithPlugins([pluginOf({ request, response: attempt })])
    await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{}' })
  }
  await expect.poll(() => late).toEqual([expect.any(Error), expect.any(Error)])
})

test('a plugin before prompt-sanitize cannot bring in what a rule keeps out, one behind it can', async () => {
  const plugin = pluginOf({ request: ({ body }) => body.replace('{"to":"a@example.test"}') })
  const plugins = { 'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] } }
  for (const [after, sent] of [
    ['license-check', '{"to":"[REDACTED:email]"}'],
    ['prompt-sanitize', '{"to":"a@example.test"}'],
  ] as const) {
    const { url, upstream } = await startWithPlugins([{ plugin, after }], { plugins })
    await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{}' })
    expect(upstream.requests[0]?.body.toString()).toBe(sent)
  }
})

test('a body is replaced by nothing but text and bytes', async () => {
  const plugin = pluginOf({ request: ({ body }) => body.replace({} as string) })
  const { url } = await startWithPlugins([plugin])
  expectRefusal(await sendRequest(`${url}/items/1`, { method: 'POST', body: 'x' }), 500, 'PLUGIN_FAILED')
})

test('the body cannot be replaced after the plugin has let the request go on', async () => {
  const seen: Exchange[] = []
  const late: unknown[] = []
  const attempt = ({ body }: Exchange) => {
    try {
      body.replace('forged')
    } catch (error) {
      late.push(error)
    }
  }
  const first = pluginOf({ request: (exchange) => void seen.push(exchange), response: attempt }, 'first')
  const second = pluginOf({ request: () => seen.forEach(attempt) }, 'second')
  const { url, upstream } = await startWithPlugins([first, second])
  await sendRequest(`${url}/items/1`, { method: 'POST', headers: json, body: '{"a":1}' })
  await expect.poll(() => late).toEqual([expect.any(Error), expect.any(Error)])
  expect(upstream.requests[0]?.body.toString()).toBe('{"a":1}')
})
