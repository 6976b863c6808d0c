import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CachedLookupOptions, createCachedLookup } from './cached-lookup.ts'

// Only what measures time: promises and timers stay real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  // Faked time starts at 0, and an entry of lru-cache that starts at 0 never ends.
  vi.advanceTimersByTime(1)
})
afterEach(() => {
  vi.useRealTimers()
})

/** A look-up whose calls stay open until the test answers them. */
function controlled(overrides: Partial<CachedLookupOptions<string, string>> = {}) {
  const calls: { query: string; answer: (value: string | undefined) => void }[] = []
  const lookup = createCachedLookup<string, string>({
    keyOf: (query) => query,
    ask: (query) => new Promise((answer) => calls.push({ query, answer })),
    keepMs: (answer) => (answer.startsWith('no') ? 30_000 : 300_000),
    maxEntries: 3,
    ...overrides,
  })
  const fill = async (query: string, value = `${query}!`) => {
    const found = lookup.find(query)
    calls.at(-1)?.answer(value)
    await found
  }
  return { lookup, calls, fill }
}

test('a kept answer is returned without a promise', async () => {
  const { lookup, calls, fill } = controlled()
  await fill('a')
  expect(lookup.find('a')).toBe('a!')
  expect(calls).toHaveLength(1)
})

test('everyone who asks while a call is under way waits for that call', async () => {
  const { lookup, calls } = controlled()
  const waiting = Array.from({ length: 100 }, () => lookup.find('a'))
  expect(new Set(waiting).size).toBe(1)
  calls[0]?.answer('one')
  expect(await Promise.all(waiting)).toEqual(Array(100).fill('one'))
  expect(calls.map(({ query }) => query)).toEqual(['a'])
})

test('different keys are asked at the same time', async () => {
  const { lookup, calls } = controlled()
  const both = [lookup.find('a'), lookup.find('b')]
  calls[1]?.answer('B')
  calls[0]?.answer('A')
  expect(await Promise.all(both)).toEqual(['A', 'B'])
})

test('a failure reaches everyone who waits and is not kept', async () => {
  const { lookup, calls } = controlled()
  const waiting = [lookup.find('a'), lookup.find('a')]
  calls[0]?.answer(undefined)
  expect(await Promise.all(waiting)).toEqual([undefined, undefined])
  const again = lookup.find('a')
  calls[1]?.answer('back')
  expect(await again).toBe('back')
  expect(calls).toHaveLength(2)
})

describe('an answer ends with its own time', () => {
  test.each([
    ['yes', 300_000],
    ['no', 30_000],
  ])('%s', async (value, keptMs) => {
    const { lookup, fill } = controlled()
    await fill('a', value)
    vi.advanceTimersByTime(keptMs)
    expect(lookup.find('a')).toBe(value)
    vi.advanceTimersByTime(1)
    expect(lookup.find('a')).toBeInstanceOf(Promise)
  })

  test('using an answer does not prolong it', async () => {
    const { lookup, fill } = controlled()
    await fill('a')
    vi.advanceTimersByTime(200_000)
    expect(lookup.find('a')).toBe('a!')
    vi.advanceTimersByTime(100_001)
    expect(lookup.find('a')).toBeInstanceOf(Promise)
  })

  test('the time starts with the answer, not with the question', async () => {
    const { lookup, calls } = controlled()
    const found = lookup.find('a')
    vi.advanceTimersByTime(299_000)
    calls[0]?.answer('yes')
    await found
    vi.advanceTimersByTime(300_000)
    expect(lookup.find('a')).toBe('yes')
  })

  test('a time of 0 keeps nothing', async () => {
    const { lookup, calls, fill } = controlled({ keepMs: () => 0 })
    await fill('a')
    await fill('a')
    expect(lookup.find('a')).toBeInstanceOf(Promise)
    expect(calls).toHaveLength(3)
  })
})

test('above the bound the answer goes that was not used for longest', async () => {
  const { lookup, fill } = controlled()
  for (const query of ['a', 'b', 'c']) await fill(query)
  expect(lookup.find('a')).toBe('a!')
  await fill('d')
  expect(['a', 'c', 'd'].map((query) => lookup.find(query))).toEqual(['a!', 'c!', 'd!'])
  expect(lookup.find('b')).toBeInstanceOf(Promise)
})

test('a falsy answer is kept like any other', async () => {
  let calls = 0
  const ask = async () => {
    calls += 1
    return false
  }
  const lookup = createCachedLookup({
    keyOf: (query: string) => query,
    ask,
    keepMs: () => 1_000,
    maxEntries: 1,
  })
  await lookup.find('a')
  expect(lookup.find('a')).toBe(false)
  expect(calls).toBe(1)
})

test('names of object properties are ordinary keys', async () => {
  const { lookup, calls, fill } = controlled({ maxEntries: 10 })
  for (const query of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    expect(lookup.find(query)).toBeInstanceOf(Promise)
    calls.at(-1)?.answer(undefined)
    await Promise.resolve()
    await fill(query)
    expect(lookup.find(query)).toBe(`${query}!`)
  }
})
