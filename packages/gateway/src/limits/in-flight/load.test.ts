import { readConfig } from '@agentic-rest/testing/read-config'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeExchange } from '../../../test/plugins/make-exchange.ts'
import { createLoad, type Load } from './load.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function loadOf(max_in_flight: number, max_in_flight_per_tenant = 1): Load {
  const limits = { max_in_flight, max_in_flight_per_tenant }
  const { gateway } = readConfig({ gateway: { limits }, routes: [] })
  return createLoad(() => gateway.limits)
}

/** A load whose event loop has just been late. */
function lateLoad(maxInFlight: number) {
  const load = loadOf(maxInFlight)
  const before = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => before + 1000)
  vi.advanceTimersToNextTimer()
  clock.mockRestore()
  return load
}

/** The verdicts on requests that enter one after another. */
const verdicts = (load: Load, count: number) =>
  Array.from({ length: count }, () => {
    load.enter(makeExchange())
    return load.overload()
  })

it('takes as many requests as the limit allows, and no more', () => {
  expect(verdicts(loadOf(3), 4)).toEqual([undefined, undefined, undefined, 'max_in_flight'])
})

it('takes them on a late event loop too, when they are few', () => {
  expect(verdicts(lateLoad(3), 4)).toEqual([undefined, undefined, undefined, 'max_in_flight'])
})

it('takes no more than 63 on a late event loop', () => {
  expect(verdicts(lateLoad(1000), 65).toSpliced(0, 63)).toEqual(['late_loop', 'late_loop'])
})

it('does not count streams against the limit', () => {
  const load = loadOf(1)
  const stream = makeExchange({ slot: 'taken' })
  load.enter(stream)
  load.streamStarted(stream)
  expect(verdicts(load, 2)).toEqual([undefined, 'max_in_flight'])
  load.leave(stream)
  expect(load.inFlight).toBe(2)
})

it('takes as many requests of one tenant as its share, and forgets them when they leave', () => {
  const load = loadOf(100, 2)
  const enter = (tenantId: string) => {
    const exchange = makeExchange({ tenantId })
    load.enter(exchange)
    return { exchange, taken: load.takeShare(exchange) }
  }
  const [first, second, third] = [enter('acme'), enter('acme'), enter('acme')]
  expect([first.taken, second.taken, third.taken, enter('globex').taken]).toEqual([true, true, false, true])
  load.leave(third.exchange)
  expect(enter('acme').taken).toBe(false)
  load.leave(first.exchange)
  load.leave(first.exchange)
  expect([enter('acme').taken, enter('acme').taken]).toEqual([true, false])
})

it('does not count a stream against the share of its tenant', () => {
  const load = loadOf(100)
  const stream = makeExchange({ tenantId: 'acme' })
  load.enter(stream)
  expect(load.takeShare(stream)).toBe(true)
  expect(load.takeShare(makeExchange({ tenantId: 'acme' }))).toBe(false)
  stream.slot = 'taken'
  load.streamStarted(stream)
  const next = makeExchange({ tenantId: 'acme' })
  load.enter(next)
  expect(load.takeShare(next)).toBe(true)
  load.leave(stream)
  expect(load.takeShare(makeExchange({ tenantId: 'acme' }))).toBe(false)
})

it('does not count requests against the limit while they wait for a key', () => {
  const load = loadOf(1)
  const [waiting, gone, foreign] = [makeExchange(), makeExchange(), makeExchange()]
  for (const exchange of [waiting, gone]) {
    load.enter(exchange)
    load.waitStarted(exchange)
    load.waitStarted(exchange)
  }
  // Not one of the gateway's own: it is not counted, waiting or not.
  load.waitStarted(foreign)
  expect(load.inFlight).toBe(0)
  expect(verdicts(load, 2)).toEqual([undefined, 'max_in_flight'])
  load.leave(gone)
  load.waitEnded(gone)
  expect(load.inFlight).toBe(2)
  load.waitEnded(waiting)
  load.waitEnded(waiting)
  load.waitEnded(foreign)
  expect(load.inFlight).toBe(3)
})
