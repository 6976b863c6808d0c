import { definePlugin } from '@agentic-rest/gateway'
import { z } from 'zod'

/** Records which cost centre a request is charged to. */
export const plugin = definePlugin({
  name: 'cost-centre',
  options: z.strictObject({ claim: z.string().default('cost_centre') }),
  create: ({ claim }) => ({
    request({ identity, audit }) {
      const value = identity?.claims[claim]
      audit.set('cost_centre', typeof value === 'string' ? value : 'none')
    },
  }),
})
