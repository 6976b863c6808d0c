import { createCatalogue, type TargetRoute } from '@agentic-rest/mcp'
import { expect, test, vi } from 'vitest'
import { createManualClock } from './manual-clock.ts'

const target = 'http://127.0.0.1:8081'
const route = (id: string, more: Partial<TargetRoute> = {}): TargetRoute => ({
  id,
  method: 'GET',
  path: `/${id}`,
  target,
  mcp: {},
  ...more,
})
const documentOf = (...paths: readonly string[]) => ({
  paths: Object.fromEntries(paths.map((path) => [path, { get: { summary: `Reads ${path}.` } }])),
})

function catalogueOf(
  routes: readonly TargetRoute[],
  load: (target: string, signal: AbortSignal) => Promise<unknown>,
) {
  const clock = createManualClock()
  const onChange = vi.fn()
  const loading = vi.fn(load)
  const catalogue = createCatalogue({
    routes,
    environment: clock,
    refreshSeconds: 300,
    load: loading,
    onChange,
  })
  const state = () => [
    catalogue.tools.map(({ definition }) => definition.name),
    catalogue.faults.map(({ routeId, fault }) => `${routeId} ${fault.code}`),
  ]
  return { clock, onChange, loading, catalogue, state }
}

test('tools have the order of the file, and one document is read once for all routes', async () => {
  const { catalogue, state, loading } = catalogueOf([route('b'), route('a')], async () =>
    documentOf('/a', '/b'),
  )
  await catalogue.ready
  expect(state()).toEqual([['b', 'a'], []])
  expect(loading).toHaveBeenCalledTimes(1)
  catalogue.close()
})

test('a missing document leaves its tools out, and is tried again every 2 seconds in the first minute', async () => {
  let isThere = false
  const load = async () => {
    if (!isThere) throw new Error('ECONNREFUSED')
    return documentOf('/a')
  }
  const routes = [route('a'), route('b', { mcp: { input: 'none' } })]
  const { catalogue, state, clock, onChange } = catalogueOf(routes, load)
  await catalogue.ready
  expect(state()).toEqual([['b'], ['a no_document']])
  isThere = true
  await clock.advance(1_000)
  expect(state()[0]).toEqual(['b'])
  await clock.advance(1000)
  expect(state()).toEqual([['a', 'b'], []])
  expect(onChange).toHaveBeenCalledTimes(1)
  catalogue.close()
})

test('a document that is missing for long is tried again every 30 seconds', async () => {
  const { catalogue, clock, loading } = catalogueOf([route('a')], async () => {
    throw new Error('ECONNREFUSED')
  })
  await catalogue.ready
  for (let second = 0; second < 60; second++) await clock.advance(1000)
  expect(loading).toHaveBeenCalledTimes(31)
  await clock.advance(29_000)
  expect(loading).toHaveBeenCalledTimes(31)
  await clock.advance(1000)
  expect(loading).toHaveBeenCalledTimes(32)
  catalogue.close()
})

test('a slow document is given up after five seconds', async () => {
  let given: AbortSignal | undefined
  const { catalogue, state, clock } = catalogueOf([route('a')], (_target, signal) => {
    given = signal
    return new Promise(() => undefined)
  })
  await clock.advance(5000)
  await catalogue.ready
  expect(state()).toEqual([[], ['a no_document']])
  expect(given?.aborted).toBe(true)
  catalogue.close()
})

test('a changed document changes the tools, an equal one changes nothing, a lost one keeps them', async () => {
  const documents: unknown[] = [documentOf('/a'), documentOf('/a'), documentOf('/a', '/b')]
  const load = async () => {
    if (documents.length === 0) throw new Error('gone')
    return documents.shift()
  }
  const { catalogue, state, clock, onChange } = catalogueOf([route('a'), route('b')], load)
  await catalogue.ready
  expect(state()).toEqual([['a'], ['b no_operation']])
  await clock.advance(300_000)
  expect(onChange).toHaveBeenCalledTimes(1)
  await clock.advance(300_000)
  expect(state()).toEqual([['a', 'b'], []])
  expect(onChange).toHaveBeenCalledTimes(2)
  await clock.advance(300_000)
  expect(state()).toEqual([['a', 'b'], []])
  catalogue.close()
})

test('the second tool of one name is left out', async () => {
  const mcp = { name: 'same', input: 'none' } as const
  const { catalogue, state } = catalogueOf([route('a', { mcp }), route('b', { mcp })], async () => ({}))
  await catalogue.ready
  expect(state()).toEqual([['same'], ['b duplicate_name']])
  catalogue.close()
})

test('nothing is read after the end', async () => {
  const { catalogue, clock, loading } = catalogueOf([route('a')], async () => documentOf('/a'))
  await catalogue.ready
  catalogue.close()
  await clock.advance(3_600_000)
  expect(loading).toHaveBeenCalledTimes(1)
})
