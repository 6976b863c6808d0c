import { expect, test } from 'vitest'
import {
  durationFault,
  everything,
  findMatches,
  isEverything,
  readDuration,
  readSearch,
  type Search,
  type Searchable,
  valuesOf,
  writeSearch,
} from './search.ts'

interface Item extends Searchable {
  readonly words: string
}

const item = (more: Partial<Item>): Item => ({
  outcome: 'success',
  code: '',
  route: 'a',
  tenant: 'acme',
  actor: 'alice',
  via: [],
  durationMs: 10,
  words: '',
  ...more,
})

const items: readonly Item[] = [
  item({ words: 'GET /a/1 C-1', outcome: 'created', durationMs: 250 }),
  item({ words: 'GET /a/2 C-2', outcome: 'error', code: 'UPSTREAM_ERROR', tenant: 'globex', actor: 'carol' }),
  item({ words: 'POST /b/3 C-3', route: 'b', actor: 'bob', durationMs: 1500, via: ['MCP', 'tool b'] }),
  item({ words: 'POST /b/4 C-4', route: 'b', outcome: 'forbidden', code: 'FORBIDDEN', durationMs: null }),
]

const found = (search: Partial<Search>) =>
  findMatches(items, { ...everything, ...search }, ({ words }) => words).map(({ words }) =>
    Number(words.at(-1)),
  )

test('the empty search finds everything, as the same list', () => {
  expect(findMatches(items, everything, ({ words }) => words)).toBe(items)
  expect(isEverything({ ...everything, text: '  ' })).toBe(true)
})

test.each<readonly [Partial<Search>, readonly number[]]>([
  [{ route: 'a' }, [1, 2]],
  [{ outcome: 'success' }, [3]],
  [{ outcome: 'done' }, [1, 3]],
  [{ code: 'FORBIDDEN' }, [4]],
  [{ tenant: 'globex' }, [2]],
  [{ actor: 'bob' }, [3]],
  [{ via: 'MCP' }, [3]],
  [{ via: 'tool a' }, []],
  [{ slower: '250' }, [3]],
  [{ slower: '249 ms' }, [1, 3]],
  [{ slower: '1.4s' }, [3]],
  [{ slower: '0' }, [1, 2, 3]],
  [{ slower: 'soon' }, [1, 2, 3, 4]],
  [{ text: ' c-3 ' }, [3]],
  [{ text: '/b post' }, [3, 4]],
  [{ route: 'a', outcome: 'done', tenant: 'acme', actor: 'alice', slower: '9', text: '/a' }, [1]],
  [{ route: 'b', tenant: 'globex' }, []],
])('%j finds %j', (search, numbers) => {
  expect(found(search)).toEqual(numbers)
})

test('an exchange is found by the values of each of its requests, and by the family of its state', () => {
  const exchange = item({
    words: '9',
    outcome: 'approval_required',
    family: 'refused',
    code: ['FORBIDDEN', 'MISSING_TOKEN'],
    actor: ['alice', 'dave'],
  })
  const finds = (search: Partial<Search>) =>
    findMatches([exchange], { ...everything, ...search }, ({ words }) => words).length === 1
  expect(finds({ actor: 'dave', code: 'FORBIDDEN', outcome: 'refused' })).toBe(true)
  expect(finds({ outcome: 'approval_required' })).toBe(true)
  expect(finds({ outcome: 'asks' })).toBe(false)
  expect(finds({ actor: 'carol' })).toBe(false)
  expect(valuesOf([exchange], 'code').values).toEqual(['FORBIDDEN', 'MISSING_TOKEN'])
})

test.each([
  ['250', 250],
  [' 250 ms ', 250],
  ['1.5s', 1500],
  ['.5 S', 500],
  ['2 min', 120_000],
])('the duration %j is %d ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
  expect(durationFault({ ...everything, slower: text })).toBeUndefined()
})

test.each(['soon', '-1', '1e3', '5 h', '1.', 'Infinity'])('%j is no duration, which is said', (slower) => {
  expect(durationFault({ ...everything, slower })).toBe('Write a time such as 250 ms or 1.5 s.')
})

test('a search goes into the address and comes back, beside other parameters', () => {
  const search = { ...everything, outcome: 'asks', actor: 'ä & b=c', slower: '1.5 s', text: 'a?b#c%+d' }
  const query = writeSearch('request=r-1&route=old', search)
  expect(readSearch(query)).toEqual(search)
  expect(new URLSearchParams(query).get('request')).toBe('r-1')
  expect(writeSearch(query, everything)).toBe('request=r-1')
  expect(readSearch('')).toEqual(everything)
  expect(readSearch('?x=1&constructor=2&__proto__=3')).toEqual(everything)
})

test('values are listed once, sorted, the most frequent hundred', () => {
  expect(valuesOf(items, 'tenant')).toEqual({ values: ['acme', 'globex'], more: 0 })
  expect(valuesOf(items, 'code')).toEqual({ values: ['FORBIDDEN', 'UPSTREAM_ERROR'], more: 0 })
  const many = Array.from({ length: 150 }, (_, index) => item({ actor: `actor-${index}` }))
  const { values, more } = valuesOf([...many, item({ actor: 'actor-149' })], 'actor')
  expect([values.length, more, values.includes('actor-149')]).toEqual([100, 50, true])
})
