/** A process that is suspended while it holds a key or an operation, and continues after others have done the work. */
import { once } from 'node:events'
import { createIdempotency } from '../../../src/runtime/idempotency.ts'
import { createOperations } from '../../../src/runtime/operations.ts'
import { createStore } from '../../../src/runtime/sql-store.ts'
import type { Sql } from '../../../src/runtime/store.ts'
import { addEffect } from '../behaviour/effects.ts'
import { readSettings, tell } from './settings.ts'

/** The point at which it waits to be suspended. */
export interface PausedSettings {
  readonly url: string
  readonly tenantId: string
  readonly holding: 'key' | 'operation' | 'transaction'
}

const { url, tenantId, holding } = readSettings<PausedSettings>()
const scope = { tenantId, operation: 'pay', requester: 'alice' }
const store = createStore({ url })

/** The test suspends the process after this line, and sends the signal together with SIGCONT. */
async function beStopped(): Promise<void> {
  // A listener for a signal does not keep a process alive.
  const alive = setInterval(() => undefined, 1000)
  const woken = once(process, 'SIGUSR2')
  tell('holding')
  await woken
  clearInterval(alive)
}

async function report(effect: Promise<unknown>): Promise<void> {
  await effect.then(
    () => tell('ended: kept'),
    (error: unknown) => tell(`ended: ${error instanceof Error ? error.name : 'unknown'}`),
  )
}

async function holdKey(): Promise<void> {
  const claim = await createIdempotency(store, { leaseSeconds: 1 }).claim(scope, 'key', 'digest')
  if (claim.kind !== 'claimed') throw new Error(claim.kind)
  await beStopped()
  const effect = store.transaction(async (sql) => {
    await addEffect(sql, tenantId, tenantId)
    await claim.complete(sql, { outcome: { type: 'success', body: 'late' }, headers: {} })
  })
  await report(effect)
}

async function holdOperation(): Promise<void> {
  const operations = createOperations(store, { leaseSeconds: 1, pollMilliseconds: 10 })
  const ended = Promise.withResolvers<void>()
  const effect = async (sql: Sql) => {
    await addEffect(sql, tenantId, tenantId)
    if (holding === 'transaction') await beStopped()
    return { type: 'success', body: 'late' } as const
  }
  operations.start(
    new Map([
      [
        'pay',
        async (_job, context) => {
          if (holding === 'operation') await beStopped()
          const finished = context.finish(effect)
          await report(finished)
          ended.resolve()
          return finished
        },
      ],
    ]),
  )
  await ended.promise
  await operations.close()
}

await (holding === 'key' ? holdKey() : holdOperation())
await store.close()
