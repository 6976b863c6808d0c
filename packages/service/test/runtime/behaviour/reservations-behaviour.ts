import type { Outcome } from '@agentic-rest/profile'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Job, JobContext, JobRunner, Operations, Releaser } from '../../../src/runtime/contract.ts'
import { createOperations } from '../../../src/runtime/operations.ts'
import type { OperationsOptions } from '../../../src/runtime/operations-options.ts'
import type { Sql } from '../../../src/runtime/store.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const tenantId = `t-${crypto.randomUUID()}`
const done: Outcome = { type: 'success', body: { done: true } }
const refused: Outcome = { type: 'conflict', code: 'C', message: 'm' }
const quick = { pollMilliseconds: 10, backoffSeconds: 0.01, maxBackoffSeconds: 0.02, closeSeconds: 0.05 }

function newJob(operation: string): Job {
  return {
    scope: { tenantId, operation, requester: 'alice' },
    actor: 'Alice',
    roles: [],
    trace: { correlationId: 'c', requestId: 'r' },
    input: {},
    params: { roomId: '1' },
    idempotencyKey: undefined,
    approvalId: undefined,
  }
}

const release: Releaser = async ({ tenant, operationId, params, status }, sql) => {
  expect({ tenant, params }).toEqual({ tenant: tenantId, params: { roomId: '1' } })
  await sql.query('UPDATE reserved SET state = $2, times = times + 1 WHERE operation_id = $1', [
    operationId,
    status,
  ])
}

/** The run uses its reservation. */
function finish({ operationId, finish: commit }: JobContext): Promise<Outcome> {
  return commit(async (sql) => {
    await sql.query(`UPDATE reserved SET state = 'completed', times = times + 1 WHERE operation_id = $1`, [
      operationId,
    ])
    return done
  })
}

/** A reservation ends with its operation, once, in the same transaction. */
export function describeReservations(store: StoreUnderTest): void {
  const opened: Operations[] = []
  const open = (releaser: Releaser, options: OperationsOptions = {}) => {
    const operation = crypto.randomUUID()
    const releasers = new Map([[operation, releaser]])
    const process = () => {
      const operations = createOperations(store(), { ...quick, ...options }, releasers)
      opened.push(operations)
      return operations
    }
    const [one, other] = [process(), process()]
    const accept = () =>
      store().transaction(async (sql) => {
        const { operationId } = await one.accept(sql, newJob(operation))
        await sql.query(`INSERT INTO reserved VALUES ($1, 'reserved', 0)`, [operationId])
        return operationId
      })
    const start = (runner: JobRunner) => {
      for (const operations of [one, other]) operations.start(new Map([[operation, runner]]))
    }
    const stateOf = async (id: string) => (await one.status(tenantId, id))?.status
    return { one, other, accept, start, stateOf }
  }
  const reserved = async (id: string) => {
    const rows = await store().query('SELECT state, times FROM reserved WHERE operation_id = $1', [id])
    return rows[0]
  }

  describe('reservations', () => {
    beforeAll(() =>
      store().query('CREATE TABLE IF NOT EXISTS reserved (operation_id text, state text, times integer)'),
    )
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((operations) => operations.close()))
    })

    it('end as their operation ends, once, when results, failures and cancelling meet in two processes', async () => {
      const { one, other, accept, start, stateOf } = open(release, { maxAttempts: 2, workers: 8 })
      let runs = 0
      start(async (_job, context) => {
        runs += 1
        if (runs % 3 === 0) throw new Error('broken')
        return runs % 3 === 1 ? refused : finish(context)
      })
      const ids = await Promise.all(
        Array.from({ length: 24 }, async (_, turn) => {
          const id = await accept()
          const cancelInside = (sql: Sql) => other.cancel(tenantId, id, sql)
          if (turn % 4 === 1) await one.cancel(tenantId, id)
          if (turn % 4 === 2) await store().transaction(cancelInside)
          if (turn % 4 === 3) await Promise.all([one.cancel(tenantId, id), other.cancel(tenantId, id)])
          return id
        }),
      )
      for (const id of ids) {
        await expect.poll(() => stateOf(id)).not.toBe('working')
        expect(await reserved(id)).toEqual({ state: await stateOf(id), times: 1 })
      }
    })

    it('stay, and the run goes on, when the transaction that cancels is rolled back', async () => {
      const { one, accept, start, stateOf } = open(release)
      const begun = Promise.withResolvers<JobContext>()
      const go = Promise.withResolvers<void>()
      start(async (_job, context) => {
        begun.resolve(context)
        await go.promise
        return finish(context)
      })
      const id = await accept()
      const context = await begun.promise
      const cancelling = store().transaction(async (sql) => {
        expect(await one.cancel(tenantId, id, sql)).toBe('cancelled')
        throw new Error('changed my mind')
      })
      await expect(cancelling).rejects.toThrow('changed my mind')
      expect(context.signal.aborted).toBe(false)
      go.resolve()
      await expect.poll(() => stateOf(id)).toBe('completed')
      expect(await reserved(id)).toEqual({ state: 'completed', times: 1 })
    })

    it('keep their operation from ending until they are given back', async () => {
      let failures = 2
      const faults: unknown[] = []
      const { accept, start, stateOf } = open(
        async (released, sql) => {
          await release(released, sql)
          failures -= 1
          if (failures >= 0) throw new Error('not now')
        },
        { leaseSeconds: 0.5, onFault: ({ cause }) => void faults.push(cause) },
      )
      start(async () => refused)
      const id = await accept()
      await expect.poll(() => stateOf(id)).toBe('failed')
      expect(await reserved(id)).toEqual({ state: 'failed', times: 1 })
      expect(faults).toEqual([new Error('not now'), new Error('not now')])
    })
  })
}
