import { createService, defineOperation, success } from '@agentic-rest/service'
import { serve } from '@agentic-rest/service/node'
import { z } from 'zod'
import { LARGE, SLOT_MS, SLOTS, stamp } from './stream-beat.ts'

let slot = 0
let opened = 0
const ticks = Array.from({ length: SLOTS }, () => Promise.withResolvers<void>())
setInterval(() => {
  const due = ticks[slot]
  ticks[slot] = Promise.withResolvers<void>()
  slot = (slot + 1) % SLOTS
  due?.resolve()
  // A service that was told to end must not wait for this.
}, SLOT_MS).unref()

const events = defineOperation({
  id: 'events',
  method: 'GET',
  path: '/events',
  input: z.object({ how: z.enum(['busy', 'idle', 'flood']) }),
  async *run({ input: { how }, signal }) {
    const own = opened % SLOTS
    opened += 1
    if (how === 'idle') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    while (!signal.aborted) {
      if (how === 'flood') yield LARGE
      else {
        await ticks[own]?.promise
        yield stamp()
      }
    }
    return success({})
  },
})

const silent = () => undefined
const service = createService({
  operations: [events],
  defaultTenant: 'bench',
  log: { debug: silent, info: silent, warn: silent, error: silent },
})
await serve({ fetch: service.fetch, port: process.env['PORT'] ?? 0, closes: [service] })
