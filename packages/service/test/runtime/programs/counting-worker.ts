/** A worker process to be killed: every job of the operation `count` has one effect. */
import { setTimeout as delay } from 'node:timers/promises'
import { createOperations } from '../../../src/runtime/operations.ts'
import { createStore } from '../../../src/runtime/sql-store.ts'
import { addEffect } from '../behaviour/effects.ts'
import { readSettings, tell } from './settings.ts'

interface WorkerSettings {
  readonly url: string
  readonly leaseSeconds?: number
  /** Has its effect outside the transaction of the job, which is wrong, to show that the test notices it. */
  readonly isCareless?: boolean
}

const { url, leaseSeconds = 2, isCareless = false } = readSettings<WorkerSettings>()
const store = createStore({ url })
const operations = createOperations(store, {
  leaseSeconds,
  workers: 8,
  pollMilliseconds: 50,
  // One job may be killed several times without being the cause.
  maxAttempts: 100,
})
operations.start(
  new Map([
    [
      'count',
      async (job, context) => {
        const { name } = job.input as { name: string }
        if (isCareless) await addEffect(store, job.scope.tenantId, name)
        // Wait: time for a kill to hit the middle of a run.
        await delay(Math.random() * 20)
        return context.finish(async (sql) => {
          if (!isCareless) await addEffect(sql, job.scope.tenantId, name)
          return { type: 'success', body: { name } }
        })
      },
    ],
  ]),
)
tell('started')
