import { z } from 'zod'
import { created, defineOperation } from '../../src/index.ts'

/** The operations that every mount serves. */
export const operations = [
  defineOperation({
    id: 'create-optimization',
    method: 'POST',
    path: '/campaigns/{campaignId}/optimizations',
    input: z.object({ campaignId: z.string(), goal: z.enum(['ctr', 'reach']).describe('Which goal?') }),
    run: ({ input }) => created({ ...input, status: 'accepted' }),
  }),
]
