import { expect, test } from 'vitest'
import type { RecentExchange } from '../api/recent-exchanges.ts'
import { mergeRecent, readAll } from './use-recent.ts'

function exchange(correlationId: string, tenant: string): RecentExchange {
  return { correlationId, at: '', tenant, parts: [], requests: [], ended: [] }
}

test('newer answers replace older ones', () => {
  const older = [exchange('a', 'old'), exchange('b', 'old'), exchange('c', 'old')]
  expect(mergeRecent([exchange('b', 'new')], older)).toEqual([
    exchange('b', 'new'),
    exchange('a', 'old'),
    exchange('c', 'old'),
  ])
})

test('all exchanges are read page by page, each once', async () => {
  const kept = Array.from({ length: 1201 }, (_, index) => ({
    ...exchange(`c-${index}`, 'acme'),
    at: new Date(5_000_000 - Math.floor(index / 3)).toISOString(),
  }))
  const pages: number[] = []
  const all = await readAll((limit, until = '9') => {
    const page = kept.filter(({ at }) => at <= until).slice(0, limit)
    pages.push(page.length)
    return Promise.resolve(page)
  })
  expect(all).toEqual(kept)
  expect(pages).toEqual([512, 512, 181])
})

test('pages without a new exchange end the reading', async () => {
  const same = Array.from({ length: 512 }, (_, index) => exchange(`c-${index}`, 'acme'))
  expect(await readAll(() => Promise.resolve(same))).toEqual(same)
})
