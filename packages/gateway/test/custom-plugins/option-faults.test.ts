import { expect, test } from 'vitest'
import { moduleFolder, withPlugin } from './module-folder.ts'

const module = (schema: string) => `
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
export const plugin = { name: 'mine', options: ${schema}, create: () => ({ request: () => undefined }) }
`

/** The same schema in three libraries. */
const libraries = {
  zod: `z.strictObject({ hours: z.object({ opens: z.int() }), zones: z.array(z.string()).default([]) })`,
  valibot: `v.strictObject({ hours: v.object({ opens: v.pipe(v.number(), v.integer()) }), zones: v.optional(v.array(v.string()), []) })`,
  arktype: `type({ '+': 'reject', hours: { opens: 'number.integer' }, 'zones?': 'string[]' })`,
}

const placeOf = (fault: string) => fault.replace(/^(\S+ \S+) .*$/, '$1')

test.each(Object.keys(libraries) as (keyof typeof libraries)[])(
  'a fault that %s finds is told at the key or value that has it',
  async (library) => {
    const { faults } = moduleFolder({ 'mine.mjs': module(libraries[library]) })
    const options = `
        hours:
          opens: nine
        zones: [UTC, 7]
        hurs: 1`
    const found = (await faults(withPlugin(options))).split('\n').map(placeOf)
    expect(found).toEqual([
      'gateway.yaml:9:18: plugins.custom[0].options.hours.opens:',
      'gateway.yaml:10:22: plugins.custom[0].options.zones[1]:',
      'gateway.yaml:11:15: plugins.custom[0].options.hurs:',
    ])
  },
)

test.each(Object.keys(libraries) as (keyof typeof libraries)[])(
  'what is missing for %s is told at the nearest key above it',
  async (library) => {
    const { faults } = moduleFolder({ 'mine.mjs': module(libraries[library]) })
    expect(placeOf(await faults(withPlugin('{ hours: {} }')))).toBe(
      'gateway.yaml:7:18: plugins.custom[0].options.hours.opens:',
    )
  },
)

test('the output of the schema becomes the options', async () => {
  const { load } = moduleFolder({ 'mine.mjs': module(libraries.zod) })
  const result = await load(withPlugin('{ hours: { opens: 9 } }'))
  expect(result.ok && result.customPlugins[0]?.options).toEqual({ hours: { opens: 9 }, zones: [] })
})

test('an asynchronous schema is waited for', async () => {
  const { faults, load } = moduleFolder({
    'mine.mjs': module(`z.object({ key: z.string().refine(async (key) => key === 'good', 'is not known') })`),
  })
  expect((await load(withPlugin('{ key: good }'))).ok).toBe(true)
  expect(await faults(withPlugin('{ key: bad }'))).toBe(
    'gateway.yaml:7:23: plugins.custom[0].options.key: is not known',
  )
})

/** Schemas that do not keep to the specification. */
const broken: Readonly<Record<string, readonly [validate: string, fault: RegExp]>> = {
  throws: [`() => { throw new Error('no schema') }`, /options: the schema of the plugin failed: no schema$/],
  rejects: [
    `async () => { throw new Error('no schema') }`,
    /options: the schema of the plugin failed: no schema$/,
  ],
  'gives nothing': [`() => undefined`, /options: the schema of the plugin failed: TypeError/],
  'gives a wrong path': [`() => ({ issues: [{ message: 'm', path: [Symbol('x'), { key: 1 }] }] })`, /: m$/],
  'gives issues without a message': [`() => ({ issues: [{}] })`, /options: undefined$/],
  'tries to paint the terminal': [
    `() => ({ issues: [{ message: '\\u001b[31mred' + 'x'.repeat(1000) }] })`,
    /options: \\u\{1b\}\[31mredx{200,300}…$/,
  ],
}

test.each(Object.keys(broken))('a schema that %s is a fault like any other', async (name) => {
  const [validate, fault] = broken[name] ?? ['', /never/]
  const { faults } = moduleFolder({
    'mine.mjs': module(`{ '~standard': { version: 1, vendor: 'mine', validate: ${validate} } }`),
  })
  expect(await faults(withPlugin())).toMatch(fault)
})

test('a value of the environment is never shown, whatever the library says', async () => {
  const { faults } = moduleFolder({ 'mine.mjs': module(`type({ key: 'number' })`) })
  const options = '\n        key: ${SECRET}'
  const shown = await faults(withPlugin(options), { SECRET: 'nobody-may-read' })
  expect(shown).toBe(
    'gateway.yaml:8:14: plugins.custom[0].options.key: is not valid, got the value of ${SECRET}',
  )
})

test('nor when the message is about a map above it', async () => {
  const validate = `(value) => ({ issues: [{ message: 'must not be ' + JSON.stringify(value), path: [] }] })`
  const { faults } = moduleFolder({
    'mine.mjs': module(`{ '~standard': { version: 1, vendor: 'mine', validate: ${validate} } }`),
  })
  const options = '\n        list:\n          - key: ${SECRET}'
  expect(await faults(withPlugin(options), { SECRET: 'nobody-"may"-read' })).toMatch(
    /options: is not valid, got the value of \$\{SECRET\}$/,
  )
  expect(await faults(withPlugin('{ list: [1] }'))).toMatch(/options: must not be \{"list":\[1\]\}$/)
})

test('a value of the environment is a text where a text is wanted, even if it looks like a number', async () => {
  const { load, faults } = moduleFolder({
    'mine.mjs': module(`z.object({ key: z.string(), size: z.int(), zones: z.array(z.string()) })`),
  })
  const options = `
        key: \${SECRET}
        size: \${SIZE}
        zones:
          - \${SECRET}`
  const result = await load(withPlugin(options), { SECRET: '12345', SIZE: '7' })
  expect(result.ok && result.customPlugins[0]?.options).toEqual({ key: '12345', size: 7, zones: ['12345'] })
  expect(await faults(withPlugin(options), { SECRET: '12345', SIZE: 'seven' })).toBe(
    'gateway.yaml:9:15: plugins.custom[0].options.size: is not valid, got the value of ${SIZE}',
  )
})

test('a schema that changes its input changes nothing else', async () => {
  const { load } = moduleFolder({
    'mine.mjs': module(
      `{ '~standard': { version: 1, vendor: 'mine', validate(value) { value.list.push(2); value.more = 1; return { value } } } }`,
    ),
  })
  const result = await load(withPlugin('{ list: [1] }'))
  expect(result.ok && result.customPlugins[0]?.options).toEqual({ list: [1, 2], more: 1 })
  expect(result.ok && result.config.plugins.custom?.[0]?.options).toEqual({ list: [1] })
})

test('keys of prototypes are keys like any other', async () => {
  const { load } = moduleFolder({ 'mine.mjs': module(`z.record(z.string(), z.unknown())`) })
  const result = await load(withPlugin('{ constructor: 1, toString: 2 }'))
  expect(result.ok && result.customPlugins[0]?.options).toEqual({ constructor: 1, toString: 2 })
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})
