import { defineOperation, error, type Operation, type Store, success } from '@agentic-rest/service'
import { z } from 'zod'
import { findCampaign, noCampaign } from '../campaigns/campaign.ts'
import { optimizationBody } from './optimization.ts'
import { listOptimizations } from './optimization-table.ts'
import { readCursor, writeCursor } from './page-cursor.ts'

const MAX_LIMIT = 100
const USUAL_LIMIT = 20

const listInput = z.object({
  campaignId: z.string(),
  limit: z.int().min(1).max(MAX_LIMIT).default(USUAL_LIMIT).describe('How many at the most?'),
  cursor: z.string().optional().describe('The `next` of the page before.'),
})

const listBody = z.object({
  items: z.array(optimizationBody),
  next: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
})

/** `GET /campaigns/{campaignId}/optimizations`, newest first. */
export function listOptimizationsOperation(store: Store): Operation {
  return defineOperation({
    id: 'list-optimizations',
    method: 'GET',
    path: '/campaigns/{campaignId}/optimizations',
    summary: 'Lists the optimizations of a campaign.',
    input: listInput,
    output: { success: listBody },
    outcomes: ['success', 'validation_failed'],
    async run({ tenant, input: { campaignId, limit, cursor } }) {
      const key = { tenant, campaignId }
      if ((await findCampaign(store, key)) === undefined) return noCampaign()
      const after = cursor === undefined ? undefined : readCursor(cursor)
      if (cursor !== undefined && after === undefined) return noPage
      // One extra row shows whether there is a next page.
      const found = await listOptimizations(store, key, { after, limit: limit + 1 })
      const items = found.slice(0, limit)
      const last = found.length > limit ? items.at(-1) : undefined
      return success({ items, next: last === undefined ? null : writeCursor(last) })
    },
  })
}

// The cursor is a value of this service, so a wrong one is an unknown page and no invalid input.
const noPage = error({
  code: 'NOT_FOUND',
  message: 'There is no page with this cursor.',
  condition: 'not_found',
})
