import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeContext } from '../../test/plugins/make-exchange.ts'
import { parseConfig } from '../config/parse-config.ts'
import { createReloading, type ReloadResult, type ValidConfig } from '../lifetime/reload.ts'
import type { ConfigTexts } from './channel.ts'
import { createWorkersSwap } from './workers-swap.ts'

// Longer than workers have to prepare a configuration and to use it.
const TOO_LATE_MS = 20_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A worker with its answer to `prepareReload`; without one it is stuck. */
function makeWorker(faults?: readonly string[]) {
  const asked: string[] = []
  const concluded: ReloadResult['result'][] = []
  const prepared = Promise.withResolvers<readonly string[]>()
  const used = Promise.withResolvers<void>()
  if (faults !== undefined) prepared.resolve(faults)
  const channel = {
    isClosed: false,
    ask(name: string, value: unknown) {
      if (name === 'prepareReload') {
        asked.push((value as ConfigTexts).text)
        return prepared.promise
      }
      concluded.push((value as ReloadResult).result)
      return used.promise
    },
  }
  const end = () => {
    channel.isClosed = true
    prepared.reject(new Error('the other process is gone'))
    used.reject(new Error('the other process is gone'))
  }
  return { channel: channel as never, asked, concluded, use: used.resolve, end }
}

function validConfig(text: string): ValidConfig {
  const result = parseConfig(text, { file: 'gateway.yaml', env: {} })
  return result.ok ? result : expect.fail('the configuration is not valid')
}

function textWithRoutes(...routes: readonly string[]): string {
  const issuer = { issuer: 'https://id.example', jwks_uri: 'https://id.example/jwks', audience: ['agentic'] }
  return JSON.stringify({
    plugins: { 'token-validator': { issuers: [issuer] }, 'tenant-injector': { allowed: ['acme'] } },
    routes: routes.map((id) => ({ id, method: 'GET', path: `/${id}`, target: 'http://127.0.0.1:9' })),
  })
}

const first = validConfig(textWithRoutes('a'))
const second = validConfig(textWithRoutes('a', 'b'))

function makeReloading(...workers: ReturnType<typeof makeWorker>[]) {
  const pool = { workers }
  const used: ValidConfig[] = []
  const reloading = createReloading({
    source: { file: 'gateway.yaml', read: () => second },
    current: () => used.at(-1) ?? first,
    swap: createWorkersSwap({ pool, use: (loaded) => void used.push(loaded) }),
    metrics: { configReloaded: () => undefined },
    log: makeContext().log,
  })
  return { reloading, pool, used }
}

test('a configuration that all workers have prepared is used, and every one of them got its text', async () => {
  const workers = [makeWorker([]), makeWorker([])] as const
  const { reloading, used } = makeReloading(...workers)
  const ended = vi.fn()
  const run = reloading.run()
  void run.then(ended)
  await vi.advanceTimersByTimeAsync(0)
  // Until all of them have it in use, a client might meet the old one.
  expect(ended).not.toHaveBeenCalled()
  for (const { use } of workers) use()
  expect(await run).toMatchObject({ result: 'applied', faults: [] })
  expect(workers.map(({ asked }) => asked)).toEqual([[second.text], [second.text]])
  expect(workers.map(({ concluded }) => concluded)).toEqual([['applied'], ['applied']])
  expect([used, reloading.last?.result]).toEqual([[second], 'applied'])
})

test('a fault of one worker refuses for all, and is reported once', async () => {
  const workers = [makeWorker(['no key']), makeWorker([]), makeWorker(['no key'])]
  for (const { use } of workers) use()
  const { reloading, used } = makeReloading(...workers)
  expect(await reloading.run()).toMatchObject({ result: 'refused', faults: ['no key'] })
  expect(workers.map(({ concluded }) => concluded)).toEqual([['refused'], ['refused'], ['refused']])
  expect(used).toEqual([])
})

test('a worker that is stuck refuses for all, and keeps no later reload from being tried', async () => {
  const [good, stuck] = [makeWorker([]), makeWorker()]
  good.use()
  const { reloading, pool, used } = makeReloading(good, stuck)
  const run = reloading.run()
  await vi.advanceTimersByTimeAsync(TOO_LATE_MS)
  expect(await run).toMatchObject({ result: 'refused', faults: ['a worker did not answer in time'] })
  // It hears of the refusal when it wakes.
  expect(stuck.concluded).toEqual(['refused'])

  const second = reloading.run()
  await vi.advanceTimersByTimeAsync(TOO_LATE_MS)
  expect(await second).toMatchObject({
    result: 'refused',
    faults: ['a worker has not answered the reload before'],
  })
  expect(used).toEqual([])

  // It ends, and another has its place.
  stuck.end()
  const other = makeWorker([])
  other.use()
  pool.workers = [good, other]
  await vi.advanceTimersByTimeAsync(0)
  const again = reloading.run()
  await vi.advanceTimersByTimeAsync(TOO_LATE_MS)
  expect(await again).toMatchObject({ result: 'applied' })
  expect(used).toHaveLength(1)
})

test('a worker that ends meanwhile has no say', async () => {
  const [good, ending] = [makeWorker([]), makeWorker()]
  good.use()
  const { reloading, used } = makeReloading(good, ending)
  const run = reloading.run()
  await vi.advanceTimersByTimeAsync(0)
  ending.end()
  await vi.advanceTimersByTimeAsync(TOO_LATE_MS)
  expect(await run).toMatchObject({ result: 'applied' })
  expect(used).toEqual([second])
})

test('a configuration that no worker could try is refused', async () => {
  const nobody = { result: 'refused', faults: ['no worker was there to try it'] }
  expect(await makeReloading().reloading.run()).toMatchObject(nobody)
  const only = makeWorker()
  const { reloading } = makeReloading(only)
  const run = reloading.run()
  only.end()
  expect(await run).toMatchObject(nobody)
})
