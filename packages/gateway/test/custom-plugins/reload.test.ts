import { Writable } from 'node:stream'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway, createLog, type GatewayOptions, parseConfig } from '../../src/index.ts'
import { moduleFolder } from './module-folder.ts'
import { pluginOf } from './start-with-plugins.ts'

const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) =>
  typeof value.code === 'string' ? { value } : { issues: [{ message: 'must be a text', path: ['code'] }] } } }`

/** A module that refuses every request with a code. */
const refusing = (code: string, more = '') => `
export const plugin = {
  name: 'mine',
  options: ${schema},
  create: (options, context) => ({
    request: () => ({ type: 'forbidden', code: ${JSON.stringify(code)} + options.code, message: 'No.' }),
    ${more}
  }),
}
`

const text = (options: string, routes = '') => `gateway: { port: 0 }
plugins:
  token-validator: { mode: off }
  tenant-injector: { trust_header: everyone }
  custom:
    - { name: mine, module: ./mine.mjs, options: ${options} }
routes:
  - { id: item, method: GET, path: /items, target: "http://127.0.0.1:9" }
${routes}`

/** A gateway whose file and module a test can change. */
async function startReloading(module: string, options = '{ code: A }', more: Partial<GatewayOptions> = {}) {
  const folder = moduleFolder({ 'mine.mjs': module })
  const state = { text: text(options) }
  const loaded = await folder.load(state.text)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  const gateway = createGateway({
    ...loaded,
    baseFolder: folder.path,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
    source: { file: folder.file, read: () => parseConfig(state.text, { file: folder.file, env: {} }) },
    ...more,
  })
  const port = await gateway.start()
  onTestFinished(() => gateway.close())
  const code = async (path = '/items') => {
    const { body } = await sendRequest(`http://127.0.0.1:${port}${path}`)
    return JSON.parse(body.toString()).code
  }
  return { folder, state, gateway, code }
}

test('a reload uses a changed module and changed options', async () => {
  const { folder, state, gateway, code } = await startReloading(refusing('first-'))
  expect(await code()).toBe('first-A')
  state.text = text('{ code: B }')
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  expect(await code()).toBe('first-B')
  folder.write({ 'mine.mjs': refusing('second-') })
  expect(await code()).toBe('first-B')
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  expect(await code()).toBe('second-B')
})

test('a reload with a wrong option is refused whole', async () => {
  const { state, gateway, code } = await startReloading(refusing('first-'))
  const more = '  - { id: other, method: GET, path: /others, target: "http://127.0.0.1:9" }\n'
  state.text = text('{ code: 7 }', more)
  const { result, faults } = await gateway.reload()
  expect(result).toBe('refused')
  expect(faults).toEqual([
    expect.stringMatching(/gateway\.yaml:6:58: plugins\.custom\[0\]\.options\.code: must be a text$/),
  ])
  expect([await code(), await code('/others')]).toEqual(['first-A', 'ROUTE_NOT_FOUND'])
})

test.each([
  ['that exports nothing', '', /gateway\.yaml:6:29: plugins\.custom\[0\]\.module: exports no `plugin`/],
  [
    'that does not load',
    'throw new Error("broken")',
    /plugins\.custom\[0\]\.module: cannot be loaded: broken$/,
  ],
  [
    'whose create fails',
    refusing('x').replace(
      'create: (options, context) => ({',
      'create: () => { throw new Error("no") }, unused: () => ({',
    ),
    /^[^:]*gateway\.yaml:6:7: plugins\.custom\[0\]: create failed: no$/,
  ],
])('a reload with a module %s is refused, and the gateway goes on', async (_, module, fault) => {
  const { folder, gateway, code } = await startReloading(refusing('first-'))
  folder.write({ 'mine.mjs': module })
  expect(await gateway.reload()).toMatchObject({
    result: 'refused',
    faults: [expect.stringMatching(fault)],
  })
  expect(await code()).toBe('first-A')
  folder.write({ 'mine.mjs': refusing('mended-') })
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  expect(await code()).toBe('mended-A')
})

test('a module that failed is run again by the next reload, though its file is the same', async () => {
  const { folder, gateway, code } = await startReloading(refusing('first-'))
  const key = Symbol.for('custom-plugins failing module')
  onTestFinished(() => void Reflect.deleteProperty(globalThis, key))
  const needy = `if (!globalThis[Symbol.for('custom-plugins failing module')]) throw new Error('not now')`
  folder.write({ 'mine.mjs': `${needy}\n${refusing('second-')}` })
  for (const _ of [1, 2])
    expect(await gateway.reload()).toMatchObject({
      result: 'refused',
      faults: [expect.stringMatching(/cannot be loaded: not now$/)],
    })
  Object.assign(globalThis, { [key]: true })
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  expect(await code()).toBe('second-A')
})

test('the former plugin is closed with its last request, and held resources outlive it', async () => {
  const counts = { made: 0, closed: 0, plugins: 0 }
  const key = Symbol.for('custom-plugins reload test')
  Object.assign(globalThis, { [key]: counts })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, key))
  const module = `
const counts = globalThis[Symbol.for('custom-plugins reload test')]
export const plugin = {
  name: 'mine',
  options: ${schema},
  create({ code }, { hold }) {
    const held = hold('calendar', () => ({ id: ++counts.made, close: () => void counts.closed++ }))
    return {
      request: () => ({ type: 'forbidden', code: code + held.value.id, message: 'No.' }),
      async close() {
        counts.plugins++
        await held.release()
      },
    }
  },
}
`
  const { state, gateway, code } = await startReloading(module)
  expect(await code()).toBe('A1')
  state.text = text('{ code: B }')
  await gateway.reload()
  expect(await code()).toBe('B1')
  await expect.poll(() => counts).toEqual({ made: 1, closed: 0, plugins: 1 })
  await gateway.close()
  expect(counts).toEqual({ made: 1, closed: 1, plugins: 2 })
})

test('plugins of the program stay, after those of the file, and a name cannot be taken twice', async () => {
  const passed: string[] = []
  const own = pluginOf({ request: () => void passed.push('own') }, 'own')
  const passing = refusing('x').replace(/request: [^\n]*/, 'request: () => undefined,')
  const { folder, state, gateway, code } = await startReloading(passing, '{ code: A }', { plugins: [own] })
  await code()
  await gateway.reload()
  await code()
  expect(passed).toEqual(['own', 'own'])
  folder.write({ 'mine.mjs': passing.replace("name: 'mine'", "name: 'own'") })
  state.text = state.text.replace('name: mine', 'name: own')
  expect(await gateway.reload()).toMatchObject({
    result: 'refused',
    faults: [expect.stringMatching(/gateway\.yaml: there are two plugins with the name own$/)],
  })
})
