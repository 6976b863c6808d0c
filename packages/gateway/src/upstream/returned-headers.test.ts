import { describe, expect, it, test } from 'vitest'
import { hopByHopNames } from '../../test/harness/hop-by-hop-names.ts'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { type ReturnOptions, returnedHeaders } from './returned-headers.ts'

const OWN = ['X-Agentic-Profile', 'v0.3', 'X-Correlation-ID', 'corr-1', 'X-Request-ID', 'req-1']
const STREAM = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no']

const given = (rawHeaders: readonly string[], options: Partial<ReturnOptions> = {}, status = 200) =>
  returnedHeaders(makeExchange(), { status, rawHeaders }, { ownsCors: false, stream: false, ...options })

test('what an upstream says of its answer passes as it was sent, before what the gateway sets', () => {
  const sent = ['Content-Type', 'application/json', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2']
  expect(given(sent)).toEqual([...sent, ...OWN])
})

describe('an upstream does not decide', () => {
  it.each(['X-Agentic-Profile', 'X-Correlation-ID', 'X-Request-ID', ...hopByHopNames])('%s', (name) =>
    expect(given([name, 'x', name.toLowerCase(), 'y', 'Server', 'z'])).toEqual(['Server', 'z', ...OWN]),
  )
})

test('what its Connection names stays here', () => {
  expect(given(['Connection', 'close, X-One', 'X-ONE', 'a', 'X-Two', 'b'])).toEqual(['X-Two', 'b', ...OWN])
  expect(given(['X-One', 'a'])).toEqual(['X-One', 'a', ...OWN])
})

test('where the gateway answers for CORS, an upstream does not', () => {
  const sent = ['Access-Control-Allow-Origin', '*', 'access-control-max-age', '1', 'X-Access-Control-A', 'b']
  expect(given(sent, { ownsCors: true })).toEqual(['X-Access-Control-A', 'b', ...OWN])
  expect(given(sent)).toEqual([...sent, ...OWN])
})

describe('a stream', () => {
  const replaced = ['Content-Type', 'Cache-Control', 'Content-Length', 'X-Accel-Buffering']

  it.each(replaced)('has a fixed %s', (name) =>
    expect(given([name, 'x', 'ETag', 'y'], { stream: true })).toEqual(['ETag', 'y', ...OWN, ...STREAM]),
  )

  it.each(replaced)('alone has a fixed %s', (name) => expect(given([name, 'x'])).toEqual([name, 'x', ...OWN]))
})

test('204 has no length, other statuses keep it', () => {
  expect(given(['Content-LENGTH', '0', 'ETag', 'y'], {}, 204)).toEqual(['ETag', 'y', ...OWN])
  expect(given(['Content-LENGTH', '0', 'ETag', 'y'], {}, 205)).toEqual([
    'Content-LENGTH',
    '0',
    'ETag',
    'y',
    ...OWN,
  ])
})

test('a name without a value is returned with none', () => {
  expect(given(['X-Odd'])).toEqual(['X-Odd', '', ...OWN])
})
