import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { configText } from '@agentic-rest/testing/config-text'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { type GatewayOptions, loadConfig } from '../../src/index.ts'
import { corpusEnvironment } from '../config/corpus-environment.ts'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

async function start(settings: Record<string, unknown> = {}, more: Partial<GatewayOptions> = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const config = { gateway: settings, routes: [itemRoute(upstream.url)] }
  const gateway = await startReloadable(config, more)
  const readiness = async () => await (await fetch(`${gateway.url}/readyz`)).json()
  const send = async () =>
    (await fetch(`${gateway.url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })).status
  return { ...gateway, config, readiness, send }
}

const refusal = { status: 'ready', degraded: ['configuration: the last reload was refused'] }

test('a file that is not valid is refused with every fault, and the last good one stays until another is', async () => {
  const gateway = await start()
  const text = 'gateway:\n  prt: 1\nplugins:\n  token-validator: { mode: maybe }\nroutes: []\n'
  const { at, result, faults } = await gateway.reloadTo(text)
  expect({ at, result, faults }).toEqual({
    at: expect.stringMatching(/Z$/),
    result: 'refused',
    faults: [
      expect.stringMatching(/^gateway\.yaml:2:3: gateway\.prt: unknown key "prt", did you mean "port"\?$/),
      expect.stringMatching(/^gateway\.yaml:4:28: plugins\.token-validator\.mode: /),
    ],
  })
  expect(gateway.log).toContainEqual(
    expect.objectContaining({
      level: 'error',
      msg: 'the reload was refused: the gateway goes on as before',
      faults,
    }),
  )
  expect(await gateway.readiness()).toEqual(refusal)
  expect(await gateway.send()).toBe(200)
  const scrape = await gateway.metrics()
  expect(metricValue(scrape, 'agentic_config_reloads_total', { result: 'refused' })).toBe(1)
  expect(metricValue(scrape, 'agentic_config_last_reload_successful')).toBe(0)
  const loadedAt = metricValue(scrape, 'agentic_config_last_reload_success_timestamp_seconds')

  expect(await gateway.reloadTo(gateway.config)).toMatchObject(applied)
  expect(await gateway.readiness()).toEqual({ status: 'ready', degraded: [] })
  const later = await gateway.metrics()
  expect(metricValue(later, 'agentic_config_reloads_total', { result: 'applied' })).toBe(1)
  expect(metricValue(later, 'agentic_config_last_reload_successful')).toBe(1)
  expect(metricValue(later, 'agentic_config_last_reload_success_timestamp_seconds')).toBeGreaterThan(loadedAt)
})

test('every file of the corpus of bad ones is refused, and requests go on as before', async () => {
  const folder = join(import.meta.dirname, '../config/bad')
  const state = { file: '' }
  const source = { file: 'gateway.yaml', read: () => loadConfig(join(folder, state.file), corpusEnvironment) }
  const gateway = await start({}, { source })
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  for (const file of files) {
    state.file = file
    const { result, faults } = await gateway.gateway.reload()
    expect({ file, result, told: faults.length > 0 }).toEqual({ file, result: 'refused', told: true })
    expect(await gateway.send()).toBe(200)
  }
  const scrape = await gateway.metrics()
  expect(metricValue(scrape, 'agentic_config_reloads_total', { result: 'refused' })).toBe(files.length)
  expect(files.length).toBeGreaterThanOrEqual(60)
})

test('many faults are told by the first 20 and how many more there are', async () => {
  const gateway = await start()
  const routes = Array.from({ length: 30 }, (_, index) => ({ ...itemRoute('http://127.0.0.1:9'), index }))
  const { faults } = await gateway.reloadTo({ routes })
  expect(faults).toHaveLength(21)
  expect(faults.at(-1)).toMatch(/^and \d+ more faults$/)
})

test('a valid file that cannot act is refused and leaves nothing open', async () => {
  const gateway = await start()
  const before = process.getActiveResourcesInfo().length
  const other = { ...itemRoute('http://127.0.0.1:9'), id: 'other', path: '/other', ca_file: '/nowhere.pem' }
  const target = { ...other, target: 'https://127.0.0.1:9' }
  const { result, faults } = await gateway.reloadTo({ routes: [...gateway.config.routes, target] })
  expect({ result, faults }).toEqual({
    result: 'refused',
    faults: ['gateway.yaml: routes.other.ca_file: cannot read the file (ENOENT)'],
  })
  expect(await gateway.readiness()).toEqual(refusal)
  expect(await gateway.send()).toBe(200)
  await eventually(
    () => process.getActiveResourcesInfo().length,
    (count) => count <= before + 4,
  )
})

test.each([
  ['gateway.host', { host: '127.0.0.2' }, 'cannot change without a restart'],
  ['gateway.port', { port: 1 }, 'cannot change without a restart'],
  [
    'gateway.shared',
    { shared: { redis_url: 'redis://:do-not-show@127.0.0.1' } },
    'cannot change without a restart',
  ],
  ['gateway.admin', { admin: { port: 0 } }, 'cannot change without a restart'],
  [
    'gateway.limits.max_header_bytes',
    { limits: { max_header_bytes: 2048 } },
    'cannot change without a restart',
  ],
  ['gateway.tls', { tls: { cert_file: 'a', key_file: 'b' } }, 'cannot be added or removed without a restart'],
])(
  '%s is refused by name, with its place, and nothing else of the file is taken',
  async (key, changed, why) => {
    const gateway = await start()
    const text = configText({ gateway: changed, routes: [] })
    const { result, faults } = await gateway.reloadTo(text)
    expect({ result, faults }).toEqual({
      result: 'refused',
      faults: [expect.stringMatching(new RegExp(`^gateway\\.yaml:1:\\d+: ${key}: ${why}$`))],
    })
    expect(await gateway.send()).toBe(200)
  },
)

test('a gateway without a file to read again refuses', async () => {
  const { gateway } = await startReloadable({ routes: [] }, { source: undefined })
  expect(await gateway.reload()).toMatchObject({
    result: 'refused',
    faults: ['there is no file to read again'],
  })
})

test('a source that throws is a refusal like any other, with its cause in the log', async () => {
  const read = () => {
    throw new Error('the disk is gone')
  }
  const { gateway, log } = await startReloadable({ routes: [] }, { source: { file: 'gateway.yaml', read } })
  expect(await gateway.reload()).toMatchObject({
    result: 'refused',
    faults: ['gateway.yaml: the configuration failed to load'],
  })
  expect(log).toContainEqual(
    expect.objectContaining({ msg: 'a reload failed', error: expect.stringContaining('the disk is gone') }),
  )
})
