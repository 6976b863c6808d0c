import { readConfig } from '@agentic-rest/testing/read-config'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { type PluginRoute, tryRoute } from '../../src/index.ts'
import { startAdmin } from '../admin/harness/start-admin.ts'
import { pluginOf } from './start-with-plugins.ts'

const target = 'http://127.0.0.1:9'
const routes = [
  { id: 'read', method: 'GET', path: '/items', target },
  { id: 'write', method: 'POST', path: '/items', target, roles: ['writer'] },
]

const onlyWrites = ({ method, roles }: PluginRoute) =>
  method === 'POST' ? { runs: true, why: `guards ${roles.join()}` } : { runs: false, why: 'reads are free' }

test('request and response are called only for routes that the plan names', async () => {
  const called: string[] = []
  const planned: string[] = []
  const plugin = pluginOf({
    plan(route) {
      planned.push(route.id)
      return onlyWrites(route)
    },
    request: ({ route }) => void called.push(`request ${route.id}`),
    response: ({ route }) => void called.push(`response ${route.id}`),
  })
  const { url } = await startUpstream((_request, response) => void response.end())
  const own = routes.map(({ roles: _, ...route }) => ({ ...route, target: url }))
  const gateway = await startGateway({ routes: own }, { plugins: [plugin] })
  for (const method of ['GET', 'POST', 'GET', 'POST'])
    expect((await sendRequest(`${gateway.url}/items`, { method })).status).toBe(200)
  await expect.poll(() => called).toHaveLength(4)
  expect(called).toEqual(['request write', 'response write', 'request write', 'response write'])
  // The answer is kept: the console, the CLI and the line see the same one.
  expect(planned).toEqual(['read', 'write'])
})

const plans: Readonly<Record<string, readonly [plan: (() => unknown) | undefined, why: string]>> = {
  'is missing': [undefined, 'runs for every route'],
  throws: [
    () => {
      throw new Error('no plan')
    },
    'runs for every route: its plan failed',
  ],
  'gives nothing': [() => undefined, 'runs for every route: its plan failed'],
  'gives a text': [() => 'yes', 'runs for every route: its plan failed'],
  'gives a reason that is no text': [
    () => ({ runs: false, why: 7 }),
    'runs for every route: its plan failed',
  ],
  'gives a reason of two lines': [() => ({ runs: true, why: 'one\ntwo' }), String.raw`one\u{a}two`],
  'gives a long reason': [() => ({ runs: true, why: 'x'.repeat(1000) }), 'x'.repeat(256)],
}

test.each(Object.keys(plans))('a plan that %s leaves the plugin running', async (name) => {
  const [plan, why] = plans[name] ?? []
  const refuse = () => ({ type: 'forbidden', code: 'NO', message: 'No.' }) as const
  const plugin = pluginOf({ request: refuse, ...(plan && { plan: plan as typeof onlyWrites }) })
  const { gateway, url, adminUrl } = await startAdmin({
    config: { routes: routes.slice(0, 1) },
    plugins: [plugin],
  })
  const { body } = await sendRequest(`${adminUrl}/api/routes`)
  expect(JSON.parse(body.toString()).routes[0].plugins[6]).toEqual({ name: 'mine', runs: true, because: why })
  expect((await sendRequest(`${url}/items`)).status).toBe(403)
  await gateway.close()
})

test('console and trial say the same of custom plugins, and options are hidden', async () => {
  const config = {
    plugins: {
      custom: [{ name: 'mine', module: './mine.js', options: { key: 'secret', list: [1, { a: true }] } }],
    },
    routes,
  }
  const [entry = expect.fail('no entry')] = readConfig(config).plugins.custom ?? []
  const plugin = pluginOf({ plan: onlyWrites, request: () => undefined })
  const customPlugins = [{ ...entry, plugin, entry, place: 'gateway.yaml:1:1: plugins.custom[0]' }]
  const { adminUrl } = await startAdmin({ config, customPlugins })
  const { body } = await sendRequest(`${adminUrl}/api/routes`)
  expect(body.toString()).not.toContain('secret')
  const shown = JSON.parse(body.toString())
  const rows = shown.routes.map(({ plugins }: { plugins: Record<string, unknown>[] }) =>
    plugins.slice(0, -1).map(({ name, runs, because: why }) => ({ name, runs, why })),
  )
  const trials = ['GET', 'POST'].map((method) =>
    tryRoute(readConfig(config), { method, target: '/items' }, { customPlugins }),
  )
  expect(rows).toEqual(trials.map((trial) => trial.type === 'route' && trial.plugins))
  expect(rows[0][6]).toEqual({ name: 'mine', runs: false, why: 'reads are free' })
  expect(rows[1][6]).toEqual({ name: 'mine', runs: true, why: 'guards writer' })
  expect(shown.plugins[6]).toEqual({
    name: 'mine',
    configured: true,
    configuration: {
      after: 'prompt-sanitize',
      token: false,
      options: { key: '[hidden]', list: ['[hidden]', { a: '[hidden]' }] },
    },
  })
})

test('a trial closes the plugins that it made, and shows why one cannot be made', async () => {
  const closed: string[] = []
  const config = readConfig({ routes })
  const entry = { after: 'prompt-sanitize', token: false, options: undefined, place: 'here' } as const
  const trial = tryRoute(
    config,
    { method: 'GET', target: '/items' },
    {
      customPlugins: [
        { ...entry, plugin: pluginOf({ request: () => undefined, close: () => void closed.push('mine') }) },
        { ...entry, plugin: pluginOf({}, 'empty') },
      ],
    },
  )
  expect(trial.type === 'route' && trial.plugins.slice(6, 8)).toEqual([
    { name: 'mine', runs: true, why: 'runs for every route' },
    { name: 'empty', runs: true, why: 'here: create returned neither request nor response' },
  ])
  await expect.poll(() => closed).toEqual(['mine'])
})
