import { Writable } from 'node:stream'
import { readConfig } from '@agentic-rest/testing/read-config'
import { expect, test } from 'vitest'
import {
  createGateway,
  createLog,
  definePlugin,
  type GatewayConfig,
  InitialisationError,
  type Plugin,
  type PluginHooks,
} from '../../src/index.ts'
import { moduleFolder, withPlugin } from './module-folder.ts'
import { pluginOf } from './start-with-plugins.ts'

const request = () => undefined

/** Makes a gateway and gives the message of the error it throws. */
function failureOf(plugins: readonly Plugin[], more: object = {}): string {
  try {
    createGateway({
      config: readConfig({ routes: [] }),
      baseFolder: import.meta.dirname,
      version: '0.0.0-test',
      stdout: new Writable(),
      log: createLog({ level: 'error', pretty: false, write: () => undefined }),
      plugins,
      ...more,
    })
  } catch (error) {
    expect(error).toBeInstanceOf(InitialisationError)
    return (error as Error).message
  }
  return 'made'
}

const creates: Readonly<Record<string, readonly [create: () => unknown, message: RegExp]>> = {
  throws: [
    () => {
      throw new RangeError('no\nstack')
    },
    /create failed: RangeError: no$/,
  ],
  'throws a text': [
    () => {
      throw 'text'
    },
    /create failed: it threw a value of type string$/,
  ],
  'returns nothing': [() => undefined, /create must return an object with hooks, not undefined$/],
  'returns null': [() => null, /not null$/],
  'returns a function': [() => request, /not function$/],
  'returns a promise': [async () => ({ request }), /must return its hooks at once, not a promise$/],
  'returns a promise that rejects': [async () => Promise.reject(new Error('late')), /not a promise$/],
  'returns no hook': [() => ({}), /returned neither request nor response$/],
  'returns a misspelt hook': [
    () => ({ reqeust: request }),
    /unknown hook "reqeust", did you mean "request"\?$/,
  ],
  'returns a hook that is no function': [
    () => ({ request: true }),
    /a hook "request" that is not a function$/,
  ],
}

test.each(Object.keys(creates))('a create that %s fails the start and names the plugin', (name) => {
  const [create, message] = creates[name] ?? [request, /never/]
  const plugin = definePlugin({ name: 'mine', create: create as () => PluginHooks })
  const failure = failureOf([plugin])
  expect(failure).toMatch(/^createGateway: plugins\[0\] \(mine\): create /)
  expect(failure).toMatch(message)
  expect(failure).not.toContain('\n')
})

test('hooks may be an instance of a class with fields of its own', () => {
  class Counter {
    count = 0
    request() {
      this.count += 1
    }
  }
  expect(failureOf([definePlugin({ name: 'mine', create: () => new Counter() })])).toBe('made')
})

test('plugins that were made before the one that fails are closed', async () => {
  const closed: string[] = []
  const first = pluginOf({ request, close: () => void closed.push('first') }, 'first')
  const second = definePlugin({
    name: 'second',
    create() {
      throw new Error('no')
    },
  })
  expect(failureOf([first, second])).toMatch(/create failed: no$/)
  await expect.poll(() => closed).toEqual(['first'])
})

test('a configuration whose modules are not loaded does not start without them', () => {
  const custom = [{ name: 'mine', module: './mine.js' }]
  const config = readConfig({ plugins: { custom }, routes: [] })
  expect(failureOf([], { config })).toBe(
    'plugins.custom: the module of mine is not loaded; give createGateway the result of loadPlugins',
  )
})

test.each([
  ['another place', { after: 'license-check' }],
  ['the token', { token: true }],
  ['other options', { options: { a: 1 } }],
])('a configuration that differs from its loaded plugins by %s is refused', async (_, change) => {
  const folder = moduleFolder({
    'mine.mjs': `export const plugin = { name: 'mine', options: { '~standard': { version: 1, vendor: 'test',
  validate: (value) => ({ value }) } }, create: () => ({ request() {} }) }`,
  })
  const loaded = await folder.load(withPlugin())
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  expect(failureOf([], loaded)).toBe('made')
  const { config } = loaded
  const custom = config.plugins.custom?.map((entry) => ({ ...entry, ...change }))
  const changed = { ...config, plugins: { ...config.plugins, custom } } as GatewayConfig
  const without = { ...config, plugins: { ...config.plugins, custom: undefined } }
  for (const other of [changed, without])
    expect(failureOf([], { ...loaded, config: other })).toBe(
      'plugins.custom: the loaded plugins have other entries; give createGateway the result of loadPlugins',
    )
})
