import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CachedLookupOptions, createCachedLookup, fillUrl } from './webhook-lookup.ts'

// Only the clocks are faked: promises and timers stay real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  // Faked time starts at 0; an entry of lru-cache with start time 0 never expires.
  vi.advanceTimersByTime(1)
})
afterEach(() => {
  vi.useRealTimers()
})

/** A lookup whose calls stay open until the test answers them. */
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

const path = 'http://127.0.0.1:8086/principals/{principal}'
const query = 'http://127.0.0.1:8086/principals?name={principal}&full=1'

describe('a value in the path', () => {
  test.each([
    ['alice', 'alice'],
    ['../admin', '..%2Fadmin'],
    ['a/../../b', 'a%2F..%2F..%2Fb'],
    ['x?x=1', 'x%3Fx%3D1'],
    ['x#y', 'x%23y'],
    ['%2f', '%252f'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b', 'a%5Cb'],
    ['a b\r\nX: y', 'a%20b%0D%0AX%3A%20y'],
    ['Zoë 中 😀', 'Zo%C3%AB%20%E4%B8%AD%20%F0%9F%98%80'],
    ['__proto__', '__proto__'],
    ['$&$1$`', '%24%26%241%24%60'],
    ['{principal}', '%7Bprincipal%7D'],
    ["it's(1)!*", 'it%27s%281%29%21%2A'],
    ['...', '...'],
    ['auth0|5f7c', 'auth0%7C5f7c'],
  ])('%j is encoded as %s', (principal, encoded) => {
    expect(fillUrl(path, { principal })).toBe(`http://127.0.0.1:8086/principals/${encoded}`)
  })

  test.each(['', '.', '..', '\ud800', 'a\udfff'])('%j cannot be asked about', (principal) => {
    expect(fillUrl(path, { principal })).toBeUndefined()
  })
})

test('dots are ordinary characters beside a literal and in the query', () => {
  expect(fillUrl('http://h/p/{principal}.json', { principal: '..' })).toBe('http://h/p/...json')
  expect(fillUrl(query, { principal: '..' })).toBe('http://127.0.0.1:8086/principals?name=..&full=1')
})

test('dots that become a dot segment with their surroundings cannot be asked about', () => {
  expect(fillUrl('http://h/p/.{principal}', { principal: '.' })).toBeUndefined()
  expect(fillUrl('http://h/p/%2e{principal}/x', { principal: '.' })).toBeUndefined()
  expect(fillUrl('http://h/{tenant}{feature}', { tenant: '.', feature: '.' })).toBeUndefined()
})

test('a value never fills the placeholder of another', () => {
  expect(fillUrl('http://h/{tenant}/{feature}', { tenant: '{feature}', feature: 'x' })).toBe(
    'http://h/%7Bfeature%7D/x',
  )
})

test('a placeholder is filled wherever it stands', () => {
  expect(fillUrl('http://h/{tenant}/x?t={tenant}', { tenant: 'a' })).toBe('http://h/a/x?t=a')
})

describe('for any value', () => {
  const seed = Date.now()
  const values = fc.string({ unit: 'binary', maxLength: 20 })

  test(`the URL standard reads back exactly the value (seed ${seed})`, () => {
    fc.assert(
      fc.property(values, (principal) => {
        const url = fillUrl(path, { principal })
        if (url === undefined)
          return principal === '' || /^\.{1,2}$/.test(principal) || !principal.isWellFormed()
        const { origin, pathname, search, hash } = new URL(url)
        const [, first, last, ...rest] = pathname.split('/')
        expect([origin, first, search, hash, rest]).toEqual([
          'http://127.0.0.1:8086',
          'principals',
          '',
          '',
          [],
        ])
        return decodeURIComponent(last ?? '') === principal
      }),
      { seed, numRuns: 2_000 },
    )
  })

  test(`a query parameter reads back exactly the value and adds no other (seed ${seed})`, () => {
    fc.assert(
      fc.property(values, (principal) => {
        const url = fillUrl(query, { principal })
        if (url === undefined) return principal === '' || !principal.isWellFormed()
        const { pathname, searchParams } = new URL(url)
        expect([pathname, ...searchParams]).toEqual(['/principals', ['name', principal], ['full', '1']])
        return true
      }),
      { seed, numRuns: 2_000 },
    )
  })
})
