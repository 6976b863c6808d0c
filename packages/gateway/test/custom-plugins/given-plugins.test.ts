import { Writable } from 'node:stream'
import { readConfig } from '@agentic-rest/testing/read-config'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  createGateway,
  createLog,
  definePlugin,
  type GivenPlugin,
  InitialisationError,
} from '../../src/index.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const request = () => undefined
const mine = pluginOf({ request })
const strict = definePlugin({
  name: 'strict',
  options: z.strictObject({ hours: z.object({ opens: z.int() }), zone: z.string().default('UTC') }),
  create: ({ hours, zone }) => ({
    request: () => ({ type: 'forbidden', code: 'CLOSED', message: `Opens at ${hours.opens} ${zone}.` }),
  }),
})

const failureOf = (plugins: readonly unknown[]): readonly string[] => {
  try {
    createGateway({
      config: readConfig({ routes: [] }),
      baseFolder: import.meta.dirname,
      version: '0.0.0-test',
      stdout: new Writable(),
      log: createLog({ level: 'error', pretty: false, write: () => undefined }),
      plugins: plugins as readonly GivenPlugin[],
    })
  } catch (error) {
    expect(error).toBeInstanceOf(InitialisationError)
    return (error as Error).message.split('\n')
  }
  return []
}

const asynchronous = definePlugin({
  name: 'mine',
  options: z.object({}).refine(async () => true),
  create: () => ({ request }),
})

const wrong: Readonly<Record<string, readonly [entry: unknown, message: string]>> = {
  'no plugin': [{}, 'plugins[0]: is not made by definePlugin'],
  null: [null, 'plugins[0]: is not made by definePlugin'],
  'an entry without a plugin': [{ plugin: undefined }, 'plugins[0]: is not made by definePlugin'],
  'a name of the gateway': [
    pluginOf({ request }, 'otel-audit'),
    'plugins[0]: the name "otel-audit" is the name of a step of the gateway itself',
  ],
  'a name with a blank': [
    pluginOf({ request }, 'My Plugin'),
    'plugins[0]: the name "My Plugin" must be 1 to 64 lower-case letters, digits and single hyphens, and start with a letter',
  ],
  'another place': [
    { plugin: mine, after: 'token-validator' },
    'plugins[0] (mine): after: expected one of tenant-injector, license-check, prompt-sanitize',
  ],
  'a token that is no boolean': [
    { plugin: mine, token: 'yes' },
    'plugins[0] (mine): token: expected true or false',
  ],
  'an unknown key': [{ plugin: mine, before: 'x' }, 'plugins[0] (mine): unknown key "before"'],
  'options that nobody takes': [
    { plugin: mine, options: { a: 1 } },
    'plugins[0] (mine): options.a: is unknown: the plugin takes no options',
  ],
  'a wrong option': [
    { plugin: strict, options: { hours: { opens: 'nine' } } },
    'plugins[0] (strict): options.hours.opens: Invalid input: expected number, received string',
  ],
  'no options where some are needed': [
    strict,
    'plugins[0] (strict): options.hours: Invalid input: expected object, received undefined',
  ],
  'an asynchronous schema': [
    asynchronous,
    'plugins[0] (mine): options: the schema answers with a promise, which only a file can wait for',
  ],
  'a schema with a promise of another library': [
    definePlugin({
      name: 'mine',
      // biome-ignore lint/suspicious/noThenProperty: the promise of another library
      options: { '~standard': { version: 1, vendor: 'test', validate: () => ({ then: () => 1 }) as never } },
      create: () => ({ request }),
    }),
    'plugins[0] (mine): options: the schema answers with a promise, which only a file can wait for',
  ],
}

test.each(Object.keys(wrong))('%s is refused by name and path', (name) => {
  const [entry, message] = wrong[name] ?? [undefined, '']
  expect(failureOf([entry])).toEqual([`createGateway: ${message}`])
})

test('plugins that are no list are refused', () => {
  for (const plugins of [{}, mine, 'mine'])
    expect(failureOf(plugins as never)).toEqual(['createGateway: plugins: expected a list'])
})

test('all faults are told at once, and a name is used once', () => {
  expect(failureOf([{}, { plugin: mine, token: 1 }, strict])).toHaveLength(3)
  expect(failureOf([mine, mine])).toEqual(['there are two plugins with the name mine'])
})

test('options are those of the schema, with its defaults', async () => {
  const { url } = await startWithPlugins([{ plugin: strict, options: { hours: { opens: 9 } } }])
  const { status, body } = await sendRequest(`${url}/items/1`)
  expect([status, JSON.parse(body.toString()).message]).toEqual([403, 'Opens at 9 UTC.'])
})
