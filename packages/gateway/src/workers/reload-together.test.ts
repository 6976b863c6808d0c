import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeContext, makeMetrics } from '../../test/plugins/make-exchange.ts'
import { parseConfig } from '../config/parse-config.ts'
import type { Member } from './member.ts'
import type { PrimaryMetrics } from './primary-metrics.ts'
import { createReloadTogether, type ReloadTogether, type ValidConfig } from './reload-together.ts'
import { createTurns } from './turns.ts'

// Longer than workers have for a vote and to use what was decided.
const ROUND_OVER_MS = 20_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A worker: how it treats the question, and what ends its answer. */
interface TestWorker {
  readonly member: Member
  readonly asked: string[]
  answer(): void
}

function makeWorker(index: number, whenAsked: (member: Member) => void = () => undefined): TestWorker {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const ask = (_name: string, text: string) => {
    asked.push(text)
    whenAsked(member)
    return new Promise<void>((resolve) => answers.push(resolve))
  }
  const member = { index, process: { channel: { ask } } } as unknown as Member
  const answer = () => {
    for (const resolve of answers.splice(0)) resolve()
  }
  return { member, asked, answer }
}

function validConfig(text: string): ValidConfig {
  const result = parseConfig(text, { file: 'gateway.yaml', env: {} })
  return result.ok ? result : expect.fail('the configuration is not valid')
}

function configText(...routes: readonly string[]): string {
  const issuer = { issuer: 'https://id.example', jwks_uri: 'https://id.example/jwks', audience: ['agentic'] }
  return JSON.stringify({
    plugins: { 'token-validator': { issuers: [issuer] }, 'tenant-injector': { allowed: ['acme'] } },
    routes: routes.map((id) => ({ id, method: 'GET', path: `/${id}`, target: 'http://127.0.0.1:9' })),
  })
}

const first = validConfig(configText('a'))
const second = validConfig(configText('a', 'b'))

function makeReloading(workers: () => readonly TestWorker[], used: ValidConfig[] = []) {
  const turns = createTurns()
  const reloading: ReloadTogether = createReloadTogether({
    source: { file: 'gateway.yaml', read: () => second },
    current: () => used.at(-1) ?? first,
    use: (loaded) => void used.push(loaded),
    members: () => workers().map(({ member }) => member),
    turns,
    metrics: makeMetrics() as unknown as PrimaryMetrics,
    log: makeContext().log,
  })
  return { reloading, turns, used }
}

test('what all workers have made ready is used, and every one of them got its text', async () => {
  const votes: Promise<readonly string[]>[] = []
  const vote = (member: Member) => void votes.push(reloading.vote(member, []))
  const workers = [makeWorker(0, vote), makeWorker(1, vote)]
  const { reloading, used } = makeReloading(() => workers)
  const ended = vi.fn()
  const run = reloading.run()
  void run.then(ended)
  await vi.advanceTimersByTimeAsync(0)
  // Until all of them have it in use, somebody who asks might meet the old one.
  expect(ended).not.toHaveBeenCalled()
  for (const { answer } of workers) answer()
  expect(await run).toMatchObject({ result: 'applied', faults: [] })
  expect(await Promise.all(votes)).toEqual([[], []])
  expect(workers.map(({ asked }) => asked)).toEqual([[second.text], [second.text]])
  expect([used, reloading.last?.result]).toEqual([[second], 'applied'])
})

test('a worker that is stuck refuses for all, and keeps neither places from being filled nor later reloads', async () => {
  const vote = (member: Member) => void reloading.vote(member, [])
  const [good, stuck] = [makeWorker(0, vote), makeWorker(1)]
  let workers = [good, stuck]
  const { reloading, turns, used } = makeReloading(() => workers)
  const run = reloading.run()
  await vi.advanceTimersByTimeAsync(0)
  // The place of a worker is filled in turn with reloads: not during one, and not only when the stuck one wakes.
  const filling = vi.fn(async () => 'filled')
  const filled = turns(filling)
  good.answer()
  await vi.advanceTimersByTimeAsync(1000)
  expect(filling).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(ROUND_OVER_MS)
  expect(await run).toMatchObject({ result: 'refused', faults: ['a worker did not answer in time'] })
  expect(await filled).toBe('filled')

  expect(await reloading.run()).toMatchObject({
    result: 'refused',
    faults: ['a worker has not answered the reload before'],
  })
  expect(used).toEqual([])

  // It is gone, its channel with it, and another has its place.
  stuck.answer()
  workers = [good, makeWorker(1, vote)]
  await vi.advanceTimersByTimeAsync(0)
  const again = reloading.run()
  await vi.advanceTimersByTimeAsync(ROUND_OVER_MS)
  expect(await again).toMatchObject({ result: 'applied' })
  expect(used).toEqual([second])
})

test('a worker that has left votes no more', async () => {
  const vote = (member: Member) => void reloading.vote(member, [])
  const workers = [makeWorker(0, vote), makeWorker(1)]
  const { reloading, used } = makeReloading(() => workers)
  const run = reloading.run()
  await vi.advanceTimersByTimeAsync(0)
  reloading.leave(workers[1]?.member as Member)
  await vi.advanceTimersByTimeAsync(ROUND_OVER_MS)
  expect(await run).toMatchObject({ result: 'applied' })
  expect(used).toEqual([second])
})

test('a vote without a reload is heard as it is', async () => {
  const { reloading } = makeReloading(() => [])
  expect(await reloading.vote(makeWorker(0).member, ['no key'])).toEqual(['no key'])
})
