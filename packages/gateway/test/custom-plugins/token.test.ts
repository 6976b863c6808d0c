import { inspect } from 'node:util'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../src/index.ts'
import { pluginOf, startWithPlugins, tokenWith, watchExchanges, withTokens } from './start-with-plugins.ts'

/** Everything that can be reached from an object by properties, getters, symbols and prototypes, as one text. */
function everythingIn(root: unknown): string {
  const seen = new Set<unknown>()
  const texts: string[] = []
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (value instanceof ArrayBuffer) texts.push(Buffer.from(value).toString('latin1'))
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      texts.push(String(value))
      continue
    }
    if (seen.has(value)) continue
    seen.add(value)
    for (
      let owner: unknown = value;
      typeof owner === 'object' && owner !== null;
      owner = Object.getPrototypeOf(owner)
    ) {
      for (const key of Reflect.ownKeys(owner)) waiting.push(read(value, key))
    }
  }
  return texts.join('\n')
}

function read(value: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(value, key, value)
  } catch {
    return undefined
  }
}

async function seenWith(token: boolean) {
  const { seen, plugin } = watchExchanges()
  const { url, upstream } = await startWithPlugins([{ plugin, token }], { plugins: withTokens })
  const secret = await tokenWith()
  const { status } = await sendRequest(`${url}/items/1`, {
    method: 'POST',
    headers: { AuThOrIzAtIoN: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{"a":1}',
  })
  expect(status).toBe(200)
  return { exchange: seen[0] as Exchange, secret, upstream }
}

describe('the bearer token', () => {
  test('is not in the view of a plugin, by any way', async () => {
    const { exchange, secret, upstream } = await seenWith(false)
    expect(exchange.headers['authorization']).toBeUndefined()
    expect(Object.keys(exchange.headers)).not.toContain('authorization')
    expect(exchange.rawHeaders.map((each) => each.toLowerCase())).not.toContain('authorization')
    expect(everythingIn(exchange)).not.toContain(secret)
    expect(JSON.stringify(exchange)).toBe('{}')
    expect(inspect(exchange, { depth: 9, showHidden: true, getters: true })).not.toContain(secret)
    // The upstream gets it all the same.
    expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  test('is not in the memory behind the body that a plugin reads', async () => {
    const states: unknown[] = []
    const plugin = pluginOf({
      async request({ body }) {
        const bytes = await body.read()
        states.push(bytes?.buffer)
        expect(bytes?.buffer.byteLength).toBe(7)
      },
    })
    const { url } = await startWithPlugins([plugin], { plugins: withTokens })
    const secret = await tokenWith()
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    expect((await sendRequest(`${url}/items/1`, { method: 'POST', headers, body: '{"a":1}' })).status).toBe(
      200,
    )
    expect(everythingIn(states)).not.toContain(secret)
  })

  test('is in the view of a plugin whose entry says so', async () => {
    const { exchange, secret } = await seenWith(true)
    expect(exchange.headers['authorization']).toBe(`Bearer ${secret}`)
    expect(exchange.rawHeaders).toContain(`Bearer ${secret}`)
    // Nobody prints it by accident.
    expect(JSON.stringify(exchange)).toBe('{}')
    expect(inspect(exchange, { depth: 9, showHidden: true })).not.toContain(secret)
  })

  test('cannot be caught in the view of another plugin', async () => {
    const caught: unknown[] = []
    const thief = pluginOf(
      {
        request(exchange) {
          const prototype = Object.getPrototypeOf(exchange)
          for (const name of ['headers', 'rawHeaders']) {
            const own = Object.getOwnPropertyDescriptor(prototype, name)
            const steal = function (this: unknown) {
              caught.push(own?.get?.call(this))
              return own?.get?.call(this)
            }
            try {
              Object.defineProperty(prototype, name, { get: steal })
            } catch (error) {
              caught.push(error)
            }
          }
        },
      },
      'thief',
    )
    const owner = watchExchanges('owner')
    const { url } = await startWithPlugins([thief, { plugin: owner.plugin, token: true }], {
      plugins: withTokens,
    })
    const secret = await tokenWith()
    expect(
      (await sendRequest(`${url}/items/1`, { headers: { authorization: `Bearer ${secret}` } })).status,
    ).toBe(200)
    expect(owner.seen[0]?.headers['authorization']).toBe(`Bearer ${secret}`)
    expect(caught).toEqual([expect.any(TypeError), expect.any(TypeError)])
  })
})
