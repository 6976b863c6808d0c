import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { makeExchange } from '../../../test/plugins/make-exchange.ts'
import { createActiveExchanges } from './active-exchanges.ts'

it('keeps each from its beginning to its end, in whatever order they end', () => {
  const { active, enter, leave } = createActiveExchanges('positionInLoad')
  const [first, second, third, fourth] = [makeExchange(), makeExchange(), makeExchange(), makeExchange()]
  for (const exchange of [first, second, third, fourth]) enter(exchange)
  leave(second)
  expect(new Set(active)).toEqual(new Set([first, third, fourth]))
  leave(fourth)
  leave(first)
  expect(active).toEqual([third])
  leave(third)
  expect(active).toEqual([])
})

it('takes no notice of one that leaves twice, or never entered', () => {
  const { active, enter, leave } = createActiveExchanges('positionInLoad')
  const [first, second] = [makeExchange(), makeExchange()]
  enter(first)
  enter(second)
  leave(first)
  leave(first)
  leave(makeExchange())
  expect(active).toEqual([second])
})

it('keeps two apart that hold the same exchange', () => {
  const [load, snapshot] = [
    createActiveExchanges('positionInLoad'),
    createActiveExchanges('positionInSnapshot'),
  ]
  const [first, second] = [makeExchange(), makeExchange()]
  for (const exchange of [first, second]) load.enter(exchange)
  for (const exchange of [second, first]) snapshot.enter(exchange)
  load.leave(second)
  expect([load.active, snapshot.active]).toEqual([[first], [second, first]])
})

it('tells once when the last has left, and at once where there is none', () => {
  const { enter, leave, whenIdle } = createActiveExchanges('positionInLoad')
  const exchange = makeExchange()
  const [told, takenBack] = [vi.fn(), vi.fn()]
  enter(exchange)
  whenIdle(told)
  whenIdle(takenBack)()
  leave(exchange)
  leave(exchange)
  expect(told).toHaveBeenCalledOnce()
  expect(takenBack).not.toHaveBeenCalled()
  whenIdle(told)
  expect(told).toHaveBeenCalledTimes(2)
})

it('lets a minor collection take what has left', () => {
  const { active, enter, leave } = createActiveExchanges('positionInLoad')
  const collectMinor = minorCollector()
  collectMinor()
  const before = getHeapStatistics().used_heap_size
  for (let count = 0; count < 2000; count += 1) {
    enter(makeExchange({ violations: Array.from({ length: 1000 }, String) }))
    if (active.length > 20) leave(active[0] as (typeof active)[0])
    if (count % 50 === 0) collectMinor()
  }
  collectMinor()
  // What was entered is 16 MB, and a set keeps half of it.
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(3_000_000)
})

function minorCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'minor' })
}
