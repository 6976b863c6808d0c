import { expect, test } from 'vitest'
import type { Optimization } from '../../src/optimizations/optimization.ts'
import { expectAnswer, type RunningCampaigns, startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

interface Page {
  readonly items: readonly Optimization[]
  readonly next: string | null
}

async function newCampaign({ post }: RunningCampaigns): Promise<string> {
  return String((await post('/campaigns', { json: { name: 'Listed' } })).body['id'])
}

test('a list is newest first and is walked page by page, each optimization once', async () => {
  const service = await startCampaigns({ store })
  const id = await newCampaign(service)
  const made: unknown[] = []
  for (const goal of ['ctr', 'cpl', 'reach', 'ctr', 'conversions'])
    made.unshift((await service.optimize(id, goal)).body['id'])
  const seen: string[] = []
  let next: string | null = ''
  const sizes: number[] = []
  while (next !== null) {
    const cursor: string = next === '' ? '' : `&cursor=${next}`
    const page = (await service.get(`/campaigns/${id}/optimizations?limit=2${cursor}`))
      .body as unknown as Page
    sizes.push(page.items.length)
    seen.push(...page.items.map((item) => item.id))
    next = page.next
  }
  expect(sizes).toEqual([2, 2, 1])
  expect(seen).toEqual(made)
})

test('optimizations of the same millisecond are told apart', async () => {
  const service = await startCampaigns({ store })
  const id = await newCampaign(service)
  const goals = ['ctr', 'cpl', 'reach', 'conversions', 'lead_quality', 'conversion_rate']
  const made = await Promise.all(goals.map((goal) => service.optimize(id, goal)))
  await store.query(`UPDATE optimizations SET created_at = '2026-05-04T10:00:00Z' WHERE campaign_id = $1`, [
    id,
  ])
  const seen = new Set<string>()
  let next: string | null = null
  do {
    const cursor: string = next === null ? '' : `&cursor=${next}`
    const page = (await service.get(`/campaigns/${id}/optimizations?limit=1${cursor}`))
      .body as unknown as Page
    for (const item of page.items) seen.add(item.id)
    next = page.next
  } while (next !== null)
  expect([...seen].toSorted()).toEqual(made.map(({ body }) => body['id']).toSorted())
})

test('a list that ends with its page has no next, and an empty one is a list too', async () => {
  const service = await startCampaigns({ store })
  const id = await newCampaign(service)
  expectAnswer(await service.get(`/campaigns/${id}/optimizations`), 200, { items: [], next: null })
  await service.optimize(id, 'ctr')
  const { items, next } = (await service.get(`/campaigns/${id}/optimizations?limit=1`))
    .body as unknown as Page
  expect([items.length, next]).toEqual([1, null])
})

test.each(['0', '101', '-1', '1.5', 'x', ''])('the limit %j is refused', async (limit) => {
  const { get } = await startCampaigns({ store })
  expectAnswer(await get(`/campaigns/cmp-123/optimizations?limit=${limit}`), 422, {
    type: 'validation_failed',
    code: 'VALIDATION_FAILED',
    message: 'The request is not valid.',
    errors: [{ field: 'limit', message: expect.any(String) }],
  })
})

test.each(['x', '', '%00', 'W10', "'; DROP TABLE optimizations; --", 'a'.repeat(5_000)])(
  'the cursor %j is that of no page',
  async (cursor) => {
    const { get } = await startCampaigns({ store })
    const path = `/campaigns/cmp-123/optimizations?cursor=${encodeURIComponent(cursor)}`
    expectAnswer(await get(path), 404, {
      type: 'error',
      code: 'NOT_FOUND',
      message: 'There is no page with this cursor.',
    })
  },
)

test('a cursor of another tenant shows nothing of it', async () => {
  const service = await startCampaigns({ store })
  await service.optimize('cmp-123', 'ctr')
  await service.optimize('cmp-123', 'ctr')
  const { next } = (await service.get('/campaigns/cmp-123/optimizations?limit=1')).body
  const path = `/campaigns/cmp-900/optimizations?cursor=${next}`
  const { items } = (await service.get(path, { tenant: 'globex' })).body as unknown as Page
  expect(items.filter(({ campaignId }) => campaignId !== 'cmp-900')).toEqual([])
})
