import { expect, test } from 'vitest'
import { moduleFolder, withPlugin } from './module-folder.ts'

const good = `export const plugin = { name: 'mine', create: () => ({ request: () => undefined }) }`

/** Modules that are no plugin, with the fault that the file gets. */
const modules: Readonly<Record<string, readonly [text: string, fault: RegExp]>> = {
  'exports nothing': ['', /^gateway\.yaml:6:15: plugins\.custom\[0\]\.module: exports no `plugin`; write: /],
  'has a default export': [`export default ${good.slice(22)}`, /exports no `plugin`/],
  'exports null': ['export const plugin = null', /a `plugin` that definePlugin has not made$/],
  'exports a function': ['export const plugin = () => 1', /a `plugin` that definePlugin has not made$/],
  'has no create': [`export const plugin = { name: 'mine' }`, /that definePlugin has not made$/],
  'has options that are no schema': [
    `export const plugin = { name: 'mine', options: {}, create: () => ({}) }`,
    /that definePlugin has not made$/,
  ],
  'has a name that throws': [
    `export const plugin = { get name() { throw new Error('boom') }, create() {} }`,
    /module: cannot be loaded: boom$/,
  ],
  'has another name': [
    good.replace("'mine'", `'yours\\u001b[2J'`),
    /^gateway\.yaml:5:13: plugins\.custom\[0\]\.name: differs from the name in its module, "yours\\u001b\[2J"$/,
  ],
  throws: [
    `throw new TypeError('first line\\nsecond line')`,
    /module: cannot be loaded: TypeError: first line$/,
  ],
  'throws a text': [`throw 'text'`, /module: cannot be loaded: it threw a value of type string$/],
  'throws null': ['throw null', /module: cannot be loaded: it threw null$/],
  'throws an error without a message': [
    `const error = new Error(); Object.defineProperty(error, 'message', { get() { throw 1 } }); throw error`,
    /it threw an error whose message cannot be read$/,
  ],
  'is no JavaScript': ['export const plugin = {', /module: cannot be loaded: /],
  'imports what is not there': [
    `import 'nowhere-to-be-found'`,
    /module: cannot be loaded: Cannot find package 'nowhere-to-be-found'/,
  ],
}

test.each(Object.keys(modules))('a module that %s is a fault at its key, without a stack', async (name) => {
  const [text, fault] = modules[name] ?? ['', /never/]
  const { faults } = moduleFolder({ 'mine.mjs': text })
  const shown = await faults(withPlugin())
  expect(shown).toMatch(fault)
  expect(shown).not.toContain('\n')
  expect(shown).not.toContain('    at ')
})

test('a module that is not there is a fault at its key', async () => {
  expect(await moduleFolder().faults(withPlugin())).toBe(
    'gateway.yaml:6:15: plugins.custom[0].module: there is no such file',
  )
})

test('a module is read once: what its getters say later does not count', async () => {
  const { faults } = moduleFolder({
    'mine.mjs': `let reads = 0
export const plugin = { get name() { if (reads++ > 0) throw new Error('again'); return 'mine' }, create() {} }`,
  })
  expect(await faults(withPlugin())).toBe('valid')
})

test('a folder is no module', async () => {
  const { faults } = moduleFolder()
  expect(await faults(withPlugin().replace('./mine.mjs', '../modules-.js/../.'))).toMatch(/must end in/)
})

test('all faults of all plugins are told at once, in the order of the file', async () => {
  const { faults } = moduleFolder({
    'mine.mjs': good,
    'other.mjs': `throw new Error('no')`,
  })
  const text = `plugins:
  token-validator: { mode: off }
  tenant-injector: { trust_header: everyone }
  custom:
    - { name: missing, module: ./missing.js }
    - { name: mine, module: ./mine.mjs, options: { a: 1, b: 2 } }
    - { name: other, module: ./other.mjs }
routes: []
`
  expect(await faults(text)).toBe(
    [
      'gateway.yaml:5:32: plugins.custom[0].module: there is no such file',
      'gateway.yaml:6:55: plugins.custom[1].options.a: is unknown: the plugin takes no options',
      'gateway.yaml:6:61: plugins.custom[1].options.b: is unknown: the plugin takes no options',
      'gateway.yaml:7:30: plugins.custom[2].module: cannot be loaded: no',
    ].join('\n'),
  )
})

test('a file with a fault of its own loads no module', async () => {
  const { faults } = moduleFolder({ 'mine.mjs': `throw new Error('loaded')` })
  expect(await faults(`${withPlugin()}rutes: []\n`)).toMatch(/^gateway\.yaml:9:1: rutes: unknown key/)
})

test.each(['mine.js', 'mine.mjs', 'mine.ts', 'mine.mts'])('%s is imported', async (name) => {
  const { load } = moduleFolder({
    [name]: name.endsWith('ts') ? good.replace('plugin', 'plugin: object') : good,
  })
  const result = await load(withPlugin().replace('mine.mjs', name))
  expect(
    result.ok && result.customPlugins.map(({ plugin, after, token }) => [plugin.name, after, token]),
  ).toEqual([['mine', 'prompt-sanitize', false]])
})

test('a module can use definePlugin of the gateway and its types', async () => {
  const { load } = moduleFolder({
    'mine.ts': `import { definePlugin, type Exchange, type Outcome, type Plugin } from '@agentic-rest/gateway'
export const plugin: Plugin = definePlugin({
  name: 'mine',
  create: () => ({ request: (exchange: Exchange): Outcome | undefined => undefined }),
})
`,
  })
  expect((await load(withPlugin().replace('mine.mjs', 'mine.ts'))).ok).toBe(true)
})
