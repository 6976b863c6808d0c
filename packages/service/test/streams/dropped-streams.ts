import { readdirSync } from 'node:fs'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startService } from '@agentic-rest/testing/start-service'
import { defineOperation } from '../../src/index.ts'

/** How many streams are dropped. */
export const STREAMS = 10_000
/** How many of them at the same time. */
export const AT_ONCE = 200
/** The headers of every stream. */
export const head = { accept: 'text/event-stream', 'x-tenant-id': 'acme' }

/** A service whose runs wait, after one event, for their abort or for their reader. */
export async function startTalk() {
  let [open, opened] = [0, 0]
  const talk = defineOperation({
    id: 'talk',
    method: 'POST',
    path: '/{how}',
    async *run({ params, signal }) {
      open += 1
      opened += 1
      try {
        yield 'one'
        if (params.how === 'waiting')
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
        for (let n = 0; ; n += 1) yield n
      } finally {
        open -= 1
      }
    },
  })
  const silent = () => undefined
  const started = await startService({
    operations: [talk],
    streams: { timeoutSeconds: 3600 },
    audit: { emit: silent },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  })
  const { service } = started
  const settled = () =>
    eventually(
      async () => ({ open, active: metricValue(await service.metrics(), 'agentic_service_streams_active') }),
      (left) => left.open === 0 && left.active === 0,
    )
  return { ...started, settled, opened: () => opened }
}

/** Drops streams in batches. */
export async function dropAll(drop: () => Promise<void>, count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, drop))
}

/** The timers and descriptors of the process. */
export function resources() {
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  return { timers, descriptors: readdirSync('/proc/self/fd').length }
}
