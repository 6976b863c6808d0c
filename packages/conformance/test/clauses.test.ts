import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { type ClauseId, clauses, outOfReach, rules } from '../src/index.ts'

const files = readdirSync(join(import.meta.dirname, '../src/rules')).map((name) => name.replace(/\.ts$/, ''))

test('every clause has a rule', () => {
  const judged = new Set<string>(rules.map(({ clause }) => clause))
  expect(Object.keys(clauses).filter((clause) => !judged.has(clause))).toEqual([])
})

test('every rule cites a clause that is listed', () => {
  const unknown = rules.filter(({ clause }) => !Object.hasOwn(clauses, clause))
  expect(unknown.map(({ id }) => id)).toEqual([])
})

test('every rule has a file of its own, named by its id', () => {
  expect(rules.map(({ id }) => id).toSorted()).toEqual(files.toSorted())
})

test('every row of the table has a rule', () => {
  const rows = outcomeTypes.map((type): ClauseId => `table.${type}`)
  expect(rules.map(({ clause }) => clause).filter((clause) => rows.includes(clause))).toEqual(rows)
})

test('titles are facts, and no two are the same', () => {
  const titles = rules.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles.filter((title) => /\b(should|must|test|check)\b/i.test(title))).toEqual([])
})

test('every rule looks at something', () => {
  expect(rules.filter(({ looksAt }) => looksAt.length === 0)).toEqual([])
})

test('what nothing outside can see is listed with its reason', () => {
  for (const { where, demands, why } of outOfReach)
    expect([where, demands, why].every((text) => text !== '')).toBe(true)
})

const numbered = [
  ...[1, 2, 3, 4, 5].map((rule) => ['Endpoints, gateway rule', rule] as const),
  ...[1, 2, 3].map((rule) => ['Endpoints, retry rule', rule] as const),
  ...[1, 2, 3, 4, 5].map((rule) => ['Errors, rule', rule] as const),
  ...[1, 2, 3, 4, 6, 7].map((rule) => ['Versioning, rule', rule] as const),
  ...[1, 2, 3, 5].map((rule) => ['Authentication,', rule] as const),
  ...[1, 6, 7, 8].map((rule) => ['Endpoints,', rule] as const),
]

// Errors, rules 6 and 7, and Versioning, rules 5, 8 and 9, have no requirement; the rest of Authentication is not observable.
test.each(numbered)('%s %i is a clause, or is listed as out of reach', (section, rule) => {
  const places = [...Object.values(clauses), ...outOfReach].flatMap(({ where }) => where.split('; '))
  const isCited = (where: string) =>
    where.startsWith(section) &&
    [...where.slice(section.length).matchAll(/\d+/g)].some(([number]) => Number(number) === rule)
  expect(places.filter(isCited)).not.toEqual([])
})
