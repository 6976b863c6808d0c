import { expect, test } from 'vitest'
import { Cancellation, type Exchange } from '../../exchange.ts'
import { createCosts } from './costs.ts'
import { chargeOf } from './settlement.ts'

const costs = createCosts([
  { model: 'free', input: 0, output: 0 },
  { model: 'small', input: 1, output: 2 },
  { model: 'big-*', input: 3, output: 10 },
])
const NOTHING = { tokens: 0, cost: 0 }

type Ended = Parameters<typeof chargeOf>[0]

/** A request that reached the service, by default with an answer of 200. */
function ended(more: Partial<Ended> = {}): Ended {
  return {
    usage: undefined,
    produced: undefined,
    upstreamStartedAt: 1,
    signal: new Cancellation(),
    upstreamStatus: 200,
    result: undefined,
    ...more,
  }
}

function cancelled(reason: 'timeout' | 'client_disconnect' | 'shutdown'): Cancellation {
  const signal = new Cancellation()
  signal.cancel(reason)
  return signal
}

test.each([
  ['a 200 without a report', ended(), 'reserved'],
  ['a stream whose client left', ended({ signal: cancelled('client_disconnect') }), 'reserved'],
  ['a redirection', ended({ upstreamStatus: 302 }), 'reserved'],
  ['a 404', ended({ upstreamStatus: 404 }), NOTHING],
  ['a 503 that broke off', ended({ upstreamStatus: 503, signal: cancelled('client_disconnect') }), NOTHING],
  ['a time-out', ended({ upstreamStatus: undefined, signal: cancelled('timeout') }), 'reserved'],
  [
    'a client that left',
    ended({ upstreamStatus: undefined, signal: cancelled('client_disconnect') }),
    'reserved',
  ],
  ['a shutdown', ended({ upstreamStatus: undefined, signal: cancelled('shutdown') }), 'reserved'],
  [
    'a 200 that is not passed on',
    ended({ result: { status: 429, label: '', outcomeType: undefined } }),
    'reserved',
  ],
  [
    'a service out of reach',
    ended({ upstreamStatus: undefined, result: { status: 424, label: '', outcomeType: undefined } }),
    NOTHING,
  ],
  [
    'a time-out before the service was asked',
    ended({ upstreamStatus: undefined, upstreamStartedAt: undefined, signal: cancelled('timeout') }),
    NOTHING,
  ],
])('%s is charged', (_name, exchange, charge) => {
  expect(chargeOf(exchange, undefined, costs)).toEqual(charge)
})

test('a report counts whatever the end, at the price of the model that answered', () => {
  const asked = { input: 3, tokens: 5, model: 'big-1' }
  const reports = (usage: Exchange['usage'], more: Partial<Ended> = {}) =>
    chargeOf(ended({ usage, ...more }), asked, costs)
  expect(reports({ input: 10, output: 20, model: 'small' })).toEqual({ tokens: 30, cost: 50 })
  expect(reports({ input: 10, output: 20 })).toEqual({ tokens: 30, cost: 230 })
  expect(reports({ input: 10, output: 20, model: 'free' })).toEqual({ tokens: 30, cost: 0 })
  expect(reports({ input: 1, output: 1 }, { upstreamStatus: 500 })).toEqual({ tokens: 2, cost: 13 })
})

test('a stream without a report pays its input, as estimated or as reported at its start, and its events', () => {
  const asked = { input: 3, tokens: 500, model: 'big-1' }
  const stream = (input: number | undefined, more: Partial<Ended> = {}) =>
    chargeOf(ended({ produced: { input, output: 20 }, ...more }), asked, costs)
  expect(stream(undefined)).toEqual({ tokens: 23, cost: 209 })
  expect(stream(10)).toEqual({ tokens: 30, cost: 230 })
  expect(stream(undefined, { signal: cancelled('client_disconnect') })).toEqual({ tokens: 23, cost: 209 })
  expect(stream(undefined, { upstreamStatus: 500 })).toEqual(NOTHING)
})

test('a model with a price for input alone reserves money: only a free model reserves none', () => {
  const embeddings = createCosts([{ model: 'embed', input: 0.02, output: 0 }])
  expect(embeddings.reserve({ input: 0, output: 1000 }, 'embed')).toBe(20)
  expect(embeddings.reserve({ input: 0, output: 1 }, 'embed')).toBe(1)
  expect(embeddings.reserve({ input: 0, output: 1000 }, 'made-up')).toBe(20)
})

test('a reservation of money is the price of input and output; an unknown model is as dear as the dearest', () => {
  expect(costs.reserve({ input: 10, output: 100 }, 'small')).toBe(210)
  expect(costs.reserve({ input: 10, output: 100 }, 'free')).toBe(0)
  expect(costs.reserve({ input: 10, output: 100 }, 'made-up')).toBe(1030)
  expect(costs.reserve({ input: 10, output: 100 }, undefined)).toBe(1030)
  expect(createCosts([]).reserve({ input: 10, output: 100 }, 'any')).toBe(0)
})
