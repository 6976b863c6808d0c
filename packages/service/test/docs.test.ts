import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { refusals } from '../src/refusals.ts'

it('the page lists every code of the service itself', () => {
  const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| ([a-z_, ]+) \| (.+) \|$/gm)].map(([, ...cells]) => cells)
  const expected = Object.entries(refusals).map(([code, row]) => {
    const outcome = 'condition' in row ? `${row.type}, ${row.condition}` : row.type
    return [code, outcome, row.message]
  })
  expect(rows).toEqual(expected)
})
