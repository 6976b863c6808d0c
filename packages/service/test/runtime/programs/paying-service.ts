/** An HTTP service to be killed; its payments are the effects. */
import { setTimeout as delay } from 'node:timers/promises'
import { created, createService, createStore, defineOperation } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { addEffect } from '../behaviour/effects.ts'
import { readSettings, tell } from './settings.ts'

const { url, leaseSeconds } = readSettings<{ readonly url: string; readonly leaseSeconds: number }>()
const store = createStore({ url, connections: 40 })

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/payments/{name}',
  idempotent: true,
  async run({ tenant, params, commit }) {
    const { name = '' } = params
    // Wait: time for a kill to hit the middle of a run.
    await delay(Math.random() * 10)
    return commit(async (sql) => {
      await addEffect(sql, tenant, name)
      return created({ paymentId: crypto.randomUUID(), name })
    })
  },
})

const service = createService({
  operations: [pay],
  store,
  defaultTenant: 'acme',
  runtime: { leaseSeconds },
})
const { port } = await serve({ fetch: service.fetch, port: 0, closes: [service, store] })
tell(`listens ${port}`)
