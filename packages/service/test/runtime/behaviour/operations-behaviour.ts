import type { Outcome } from '@agentic-rest/profile'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Job, JobContext, JobRunner, Operations, Scope } from '../../../src/runtime/contract.ts'
import { createIdempotency } from '../../../src/runtime/idempotency.ts'
import { createOperations, sweepOperations } from '../../../src/runtime/operations.ts'
import type { BackgroundFault, OperationsOptions } from '../../../src/runtime/operations-options.ts'
import { StoreUnavailableError, TakenOverError } from '../../../src/runtime/store.ts'
import { addEffect, countEffects, createEffects } from './effects.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createTestClock } from './test-clock.ts'
import { statements, type WatchedStore, watchStore } from './watched-store.ts'

const done: Outcome = { type: 'success', body: { done: true } }
const failed: Outcome = {
  type: 'error',
  code: 'OPERATION_FAILED',
  message: 'The operation failed and is not tried again.',
}
const cancelled: Outcome = {
  type: 'error',
  code: 'OPERATION_CANCELLED',
  message: 'The operation was cancelled.',
}
/** Three renewals per lease of 30 seconds. */
const HEARTBEAT_SECONDS = 10
const quick = { pollMilliseconds: 10, backoffSeconds: 0.01, maxBackoffSeconds: 0.02, closeSeconds: 0.05 }

function newJob(change: Partial<Job> = {}): Job {
  const scope: Scope = {
    tenantId: `t-${crypto.randomUUID()}`,
    operation: crypto.randomUUID(),
    requester: 'alice',
  }
  return {
    scope,
    actor: 'Alice',
    roles: ['writer'],
    trace: { correlationId: 'c', requestId: 'r' },
    input: { text: 'nul \0 and lone \ud800' },
    params: { noteId: '1' },
    idempotencyKey: undefined,
    approvalId: undefined,
    ...change,
  }
}

/** No operation is lost; none gets two results. */
export function describeOperations(store: StoreUnderTest): void {
  const opened: Operations[] = []
  const open = (options: OperationsOptions = {}) => {
    const watched = watchStore(store())
    const operations = { ...createOperations(watched, { ...quick, ...options }), store: watched }
    opened.push(operations)
    return operations
  }
  const accept = (operations: Operations, job: Job) =>
    store().transaction(async (sql) => (await operations.accept(sql, job)).operationId)
  const tools: Tools = {
    store,
    open,
    accept,
    async run(runner, { job = newJob(), ...options } = {}) {
      const operations = open(options)
      operations.start(new Map([[job.scope.operation, runner]]))
      const operationId = await accept(operations, job)
      const status = () => operations.status(job.scope.tenantId, operationId)
      return { operations, operationId, status, job, tenantId: job.scope.tenantId }
    },
  }
  describe('operations', () => {
    beforeAll(() => createEffects(store()))
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((operations) => operations.close()))
    })
    describeOutcomes(tools)
    describeEffects(tools)
    describeRetries(tools)
    describeCancel(tools)
    describeLeases(tools)
    describeClosing(tools)
    describeUnsteadyStore(tools)
  })
}

type WatchedOperations = Operations & { readonly store: WatchedStore }

interface Tools {
  readonly store: StoreUnderTest
  /** Creates the operations of one process on a store. */
  readonly open: (options?: OperationsOptions) => WatchedOperations
  readonly accept: (operations: Operations, job: Job) => Promise<string>
  readonly run: (
    runner: JobRunner,
    options?: OperationsOptions & { readonly job?: Job },
  ) => Promise<{
    readonly operations: WatchedOperations
    readonly operationId: string
    readonly tenantId: string
    readonly job: Job
    readonly status: () => ReturnType<Operations['status']>
  }>
}

function describeOutcomes({ store, open, accept, run }: Tools): void {
  it('gives the run its job as it was accepted', async () => {
    const received: Job[] = []
    const { job, status } = await run(async (given) => {
      received.push(given)
      return done
    })
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
    expect(received).toEqual([job])
    expect(Object.keys(received[0] ?? {}).toSorted()).toEqual(Object.keys(job).toSorted())
  })

  const states: readonly (readonly [string, Outcome])[] = [
    ['completed', { type: 'success', body: [1, { z: 1, a: 2 }] }],
    ['completed', { type: 'created', body: { id: '1' } }],
    ['completed', { type: 'accepted', operationId: '2', statusUrl: '/operations/2/status' }],
    [
      'input_required',
      { type: 'approval_required', message: 'm', approvalToken: 't', approver: { name: 'n' } },
    ],
    ['failed', { type: 'validation_failed', message: 'm', errors: [{ field: 'f', message: 'm' }] }],
    ['failed', { type: 'forbidden', code: 'C', message: 'm' }],
    ['failed', { type: 'conflict', code: 'C', message: 'm' }],
    ['failed', { type: 'failed_dependency', code: 'C', message: 'm' }],
    ['failed', { type: 'error', code: 'C', message: 'm' }],
  ]
  it.each(states)('is %s with %j, after one run', async (state, outcome) => {
    let runs = 0
    const { operationId, status } = await run(async () => {
      runs += 1
      return outcome
    })
    await expect.poll(async () => (await status())?.status).toBe(state)
    expect(await status()).toEqual({
      operationId,
      status: state,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      outcome,
    })
    expect(runs).toBe(1)
  })

  it('waits for input with the question, and frees the idempotency key so that it can be answered', async () => {
    const outcome: Outcome = {
      type: 'clarification_required',
      message: 'm',
      requiredInputs: [
        { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which?' },
      ],
    }
    const job = newJob({ idempotencyKey: 'key' })
    const keys = createIdempotency(store())
    const operations = open()
    const claim = await keys.claim(job.scope, 'key', 'digest')
    const operationId = await store().transaction(async (sql) => {
      const accepted = await operations.accept(sql, job)
      const kept: Outcome = { type: 'accepted', ...accepted, statusUrl: '/' }
      if (claim.kind === 'claimed') await claim.complete(sql, { outcome: kept, headers: {} })
      return accepted.operationId
    })
    expect(await keys.claim(job.scope, 'key', 'digest')).toMatchObject({ kind: 'replay' })
    operations.start(new Map([[job.scope.operation, async () => outcome]]))
    const status = () => operations.status(job.scope.tenantId, operationId)
    await expect.poll(status).toMatchObject({ status: 'input_required', outcome })
    const again = await keys.claim(job.scope, 'key', 'with answers')
    expect(again.kind).toBe('claimed')
    if (again.kind === 'claimed') await again.release()
  })

  it('is working, with the last progress, until it has ended', async () => {
    const clock = createTestClock()
    const end = Promise.withResolvers<Outcome>()
    const runner = async (_job: Job, context: JobContext) => {
      await context.progress({ percent: 10 })
      await context.progress({ percent: 50 })
      return end.promise
    }
    const { operationId, status } = await run(runner, { now: clock.now })
    const working = { operationId, status: 'working', createdAt: '2030-01-01T00:00:00.000Z' }
    await expect.poll(status).toEqual({
      ...working,
      updatedAt: '2030-01-01T00:00:00.000Z',
      progress: { percent: 50 },
    })
    clock.forward(5)
    end.resolve(done)
    await expect.poll(status).toEqual({
      ...working,
      status: 'completed',
      updatedAt: '2030-01-01T00:00:05.000Z',
      progress: { percent: 50 },
      outcome: done,
    })
  })

  it('is not there when its transaction was rolled back', async () => {
    const operations = open()
    const job = newJob()
    const ids: string[] = []
    const work = store().transaction(async (sql) => {
      ids.push((await operations.accept(sql, job)).operationId)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await operations.status(job.scope.tenantId, ids[0] ?? '')).toBeUndefined()
  })

  it('is unknown to another tenant and under another id', async () => {
    const operations = open()
    const job = newJob()
    const operationId = await accept(operations, job)
    for (const id of ['', 'unknown', 'nul \0', '\ud800', 'x'.repeat(10_000)]) {
      expect(await operations.status(job.scope.tenantId, id)).toBeUndefined()
      expect(await operations.cancel(job.scope.tenantId, id)).toBe('unknown')
    }
    expect(await operations.status('other', operationId)).toBeUndefined()
    expect(await operations.cancel('other', operationId)).toBe('unknown')
    expect(await operations.status(job.scope.tenantId, operationId)).toMatchObject({ status: 'working' })
  })

  it('waits for a process that knows how to run it', async () => {
    const operations = open()
    const job = newJob()
    const operationId = await accept(operations, job)
    const other = open()
    other.start(new Map([['something-else', async () => done]]))
    const status = () => operations.status(job.scope.tenantId, operationId)
    await other.store.answered(statements.poll, 3)
    expect(await status()).toMatchObject({ status: 'working' })
    operations.start(new Map([[job.scope.operation, async () => done]]))
    await expect.poll(status).toMatchObject({ status: 'completed' })
  })

  it('begins at once when its own process has accepted it', async () => {
    // The next look at the table comes long after the test has ended.
    const { status } = await run(async () => done, { pollMilliseconds: 86_400_000 })
    await expect.poll(status).toMatchObject({ status: 'completed' })
  })

  it('runs as many at once as there are workers, and no more', async () => {
    let running = 0
    let most = 0
    const job = newJob()
    const full = Promise.withResolvers<void>()
    const runner = async () => {
      running += 1
      most = Math.max(most, running)
      if (running === 3) full.resolve()
      await full.promise
      await operations.store.answered(/^/, 1)
      running -= 1
      return done
    }
    const { operations } = await run(runner, { job, workers: 3 })
    const ids = await Promise.all(Array.from({ length: 20 }, () => accept(operations, job)))
    for (const id of ids) {
      await expect
        .poll(() => operations.status(job.scope.tenantId, id))
        .toMatchObject({ status: 'completed' })
    }
    expect(most).toBe(3)
  })

  it('can be seen for 30 days after its end', async () => {
    const clock = createTestClock()
    const { operations, operationId, tenantId, job, status } = await run(async () => done, { now: clock.now })
    await expect.poll(status).toMatchObject({ status: 'completed' })
    await operations.close()
    const waiting = await accept(operations, job)
    clock.forward(30 * 24 * 60 * 60 - 1)
    await sweepOperations(store(), clock)
    expect(await status()).toMatchObject({ operationId, status: 'completed' })
    clock.forward(1)
    await sweepOperations(store(), clock)
    expect(await status()).toBeUndefined()
    expect(await operations.status(tenantId, waiting)).toMatchObject({ status: 'working' })
  })
}

function describeEffects({ store, run }: Tools): void {
  it('commits the effect and the result together', async () => {
    const name = crypto.randomUUID()
    const { status } = await run((job, context) =>
      context.finish(async (sql) => {
        await addEffect(sql, job.scope.tenantId, name)
        return done
      }),
    )
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
    expect(await countEffects(store(), name)).toBe(1)
  })

  it('keeps the result that was committed, whatever the run does afterwards', async () => {
    const after = [async () => ({ ...done, body: 'another' }), () => Promise.reject(new Error('too late'))]
    for (const next of after) {
      let runs = 0
      const { operations, status } = await run(async (_job, context) => {
        runs += 1
        await context.finish(async () => done)
        return next()
      })
      await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
      await operations.store.answered(statements.poll, 3)
      expect(await status()).toMatchObject({ status: 'completed', outcome: done })
      expect(runs).toBe(1)
    }
  })

  it('rolls the effect of an outcome that is no success back, and keeps the outcome', async () => {
    const name = crypto.randomUUID()
    const conflict: Outcome = { type: 'conflict', code: 'C', message: 'm' }
    const { status } = await run((job, context) =>
      context.finish(async (sql) => {
        await addEffect(sql, job.scope.tenantId, name)
        return conflict
      }),
    )
    await expect.poll(status).toMatchObject({ status: 'failed', outcome: conflict })
    expect(await countEffects(store(), name)).toBe(0)
  })

  it.each(['completed', 'failed', 'cancelled'])('stays %s in SQL as well', async (state) => {
    const outcome: Outcome = state === 'failed' ? { type: 'error', code: 'C', message: 'm' } : done
    const { operations, operationId, tenantId, status } = await run(async (_job, { signal }) => {
      if (state === 'cancelled') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return outcome
    })
    if (state === 'cancelled') await operations.cancel(tenantId, operationId)
    await expect.poll(status).toMatchObject({ status: state })
    for (const change of ["state = 'working', outcome = NULL", "outcome = 'null'", 'fence = fence + 1']) {
      const update = store().query(`UPDATE agentic_operations SET ${change} WHERE operation_id = $1`, [
        operationId,
      ])
      await expect(update).rejects.toMatchObject({ code: '23514' })
    }
  })
}

function describeRetries({ store, run }: Tools): void {
  it('tries a run that throws again, and keeps nothing of the attempts that threw', async () => {
    const name = crypto.randomUUID()
    const faults: BackgroundFault[] = []
    let runs = 0
    const { operationId, status } = await run(
      (job, context) =>
        context.finish(async (sql) => {
          await addEffect(sql, job.scope.tenantId, name)
          runs += 1
          if (runs < 3) throw new Error(`attempt ${runs}`)
          return done
        }),
      { onFault: (fault) => faults.push(fault) },
    )
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
    expect(await countEffects(store(), name)).toBe(1)
    expect(faults).toEqual([
      { message: 'a run in the background failed', cause: new Error('attempt 1'), operationId },
      { message: 'a run in the background failed', cause: new Error('attempt 2'), operationId },
    ])
  })

  it('gives up after the last attempt with an outcome that tells nothing of the cause', async () => {
    let runs = 0
    const runner = async () => {
      runs += 1
      throw new Error('secret')
    }
    const onFault = () => {
      throw new Error('a log that fails')
    }
    const { status } = await run(runner, { maxAttempts: 3, onFault })
    await expect.poll(status).toMatchObject({ status: 'failed', outcome: failed })
    expect(runs).toBe(3)
  })

  it('waits longer before each attempt, up to a limit, and never the same time twice', async () => {
    const clock = createTestClock()
    const times: number[] = []
    const runner = async () => {
      times.push(clock.now().getTime())
      throw new Error('no')
    }
    const options = { now: clock.now, maxAttempts: 8, backoffSeconds: 1, maxBackoffSeconds: 8 }
    const { operations, operationId, status } = await run(runner, options)
    const pauses: number[] = []
    while ((await status())?.status === 'working') {
      const pause = await secondsUntilDue(store(), operationId, clock.now())
      if (pause > 0 && pause < 20) {
        pauses.push(pause)
        // The test clock has milliseconds, the database has microseconds.
        clock.forward(Math.ceil(pause * 1000) / 1000)
      }
      await operations.store.answered(statements.poll, 1)
    }
    expect(times).toHaveLength(8)
    expect(pauses).toHaveLength(7)
    for (const [index, pause] of pauses.entries()) {
      const longest = Math.min(2 ** index, 8)
      expect(pause).toBeGreaterThanOrEqual(longest / 2)
      expect(pause).toBeLessThanOrEqual(longest)
    }
    expect(new Set(pauses).size).toBe(7)
  })

  it('gives up on work that its processes died of', async () => {
    let runs = 0
    const job = newJob()
    const { operations, operationId, status } = await run(
      async () => {
        runs += 1
        return done
      },
      { job, maxAttempts: 5, workers: 0 },
    )
    await store().query('UPDATE agentic_operations SET attempts = 5 WHERE operation_id = $1', [operationId])
    await operations.close()
    const survivor = createOperations(store(), { ...quick, maxAttempts: 5 })
    survivor.start(new Map([[job.scope.operation, async () => done]]))
    await expect.poll(status).toMatchObject({ status: 'failed', outcome: failed })
    await survivor.close()
    expect(runs).toBe(0)
  })

  it('ends a run that takes too long, and counts it as an attempt', async () => {
    const reasons: unknown[] = []
    const { status } = await run(
      (_job, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        return new Promise(() => undefined)
      },
      { maxRunSeconds: 0.02, maxAttempts: 2 },
    )
    await expect.poll(status).toMatchObject({ status: 'failed', outcome: failed })
    expect(reasons).toEqual([new Error('the run took too long'), new Error('the run took too long')])
  })
}

async function secondsUntilDue(
  store: ReturnType<StoreUnderTest>,
  operationId: string,
  now: Date,
): Promise<number> {
  const [row] = await store.query<{ seconds: number }>(
    `SELECT extract(epoch FROM available_at - $2::timestamptz)::float8 AS seconds
     FROM agentic_operations WHERE operation_id = $1`,
    [operationId, now],
  )
  return row?.seconds ?? 0
}

function describeCancel({ store, open, accept, run }: Tools): void {
  it('is cancelled before it has begun', async () => {
    const operations = open()
    const job = newJob()
    const operationId = await accept(operations, job)
    expect(await operations.cancel(job.scope.tenantId, operationId)).toBe('cancelled')
    expect(await operations.cancel(job.scope.tenantId, operationId)).toBe('final')
    let runs = 0
    operations.start(
      new Map([
        [
          job.scope.operation,
          async () => {
            runs += 1
            return done
          },
        ],
      ]),
    )
    await operations.store.answered(statements.poll, 3)
    expect(runs).toBe(0)
    const status = await operations.status(job.scope.tenantId, operationId)
    expect(status).toMatchObject({ status: 'cancelled', outcome: cancelled })
  })

  it('aborts the run, and a late result changes nothing', async () => {
    const begun = Promise.withResolvers<JobContext>()
    const late = Promise.withResolvers<Outcome>()
    const name = crypto.randomUUID()
    const { operations, operationId, tenantId, status } = await run(async (_job, context) => {
      begun.resolve(context)
      return late.promise
    })
    const context = await begun.promise
    expect(await operations.cancel(tenantId, operationId)).toBe('cancelled')
    expect(context.signal.aborted).toBe(true)
    const effect = context.finish(async (sql) => {
      await addEffect(sql, tenantId, name)
      return done
    })
    await expect(effect).rejects.toThrow(TakenOverError)
    await expect(context.progress(1)).rejects.toThrow(TakenOverError)
    late.resolve(done)
    await operations.close()
    expect(await status()).toMatchObject({ status: 'cancelled', outcome: cancelled })
    expect(await countEffects(store(), name)).toBe(0)
  })

  it('aborts the run in another process at its next heartbeat', async () => {
    const heartbeats = stopHeartbeats()
    const aborted = Promise.withResolvers<unknown>()
    const begun = Promise.withResolvers<void>()
    const { operationId, tenantId } = await run((_job, { signal }) => {
      begun.resolve()
      return new Promise(() => signal.addEventListener('abort', () => aborted.resolve(signal.reason)))
    })
    await begun.promise
    const another = open()
    expect(await another.cancel(tenantId, operationId)).toBe('cancelled')
    heartbeats.next()
    expect(await aborted.promise).toEqual(new Error('the lease was lost'))
  })

  it('can be cancelled while it waits for input, and not after its end', async () => {
    const asked = await run(async () => ({ type: 'approval_required', message: 'm', approvalToken: 't' }))
    await expect.poll(asked.status).toMatchObject({ status: 'input_required' })
    expect(await asked.operations.cancel(asked.tenantId, asked.operationId)).toBe('cancelled')
    const ended = await run(async () => done)
    await expect.poll(ended.status).toMatchObject({ status: 'completed' })
    expect(await ended.operations.cancel(ended.tenantId, ended.operationId)).toBe('final')
    expect(await ended.status()).toMatchObject({ status: 'completed', outcome: done })
  })

  it('ends in one way when the result and the cancelling meet', async () => {
    const job = newJob()
    const { operations } = await run((_job, context) => context.finish(async () => done), {
      job,
      workers: 10,
    })
    const race = async () => {
      const id = await accept(operations, job)
      const result = await operations.cancel(job.scope.tenantId, id)
      const status = () => operations.status(job.scope.tenantId, id)
      await expect.poll(status).not.toMatchObject({ status: 'working' })
      expect((await status())?.status).toBe(result === 'cancelled' ? 'cancelled' : 'completed')
    }
    await Promise.all(Array.from({ length: 30 }, race))
  })
}

function describeLeases({ store, open, accept }: Tools): void {
  it('is taken over when the lease of a dead process ends, and not before', async () => {
    const clock = createTestClock()
    const job = newJob()
    const [first, second] = [
      open({ now: clock.now, leaseSeconds: 30 }),
      open({ now: clock.now, leaseSeconds: 30 }),
    ]
    const operationId = await accept(first, job)
    await leaseForADeadProcess(store(), operationId, new Date(clock.now().getTime() + 30_000))
    second.start(new Map([[job.scope.operation, async () => done]]))
    const status = () => second.status(job.scope.tenantId, operationId)
    clock.forward(29.9)
    await second.store.answered(statements.poll, 3)
    expect(await status()).toMatchObject({ status: 'working' })
    clock.forward(0.1)
    await expect.poll(status).toMatchObject({ status: 'completed' })
  })

  it('keeps a run out that was taken over: its effect, its progress and its result', async () => {
    const clock = createTestClock()
    const name = crypto.randomUUID()
    const job = newJob()
    // The first process has no free worker for its own lease once it has expired, and none renews it in the time of this test.
    const lease = { now: clock.now, leaseSeconds: 3600 }
    const [first, second] = [open({ ...lease, workers: 1 }), open(lease)]
    const begun = Promise.withResolvers<JobContext>()
    const late = Promise.withResolvers<Outcome>()
    first.start(
      new Map([
        [
          job.scope.operation,
          (_job: Job, context: JobContext) => {
            begun.resolve(context)
            return late.promise
          },
        ],
      ]),
    )
    const operationId = await accept(first, job)
    const context = await begun.promise
    clock.forward(3601)
    const effect = (by: JobContext) => () =>
      by.finish(async (sql) => {
        await addEffect(sql, job.scope.tenantId, name)
        return done
      })
    second.start(new Map([[job.scope.operation, (_job: Job, own: JobContext) => effect(own)()]]))
    const status = () => second.status(job.scope.tenantId, operationId)
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
    await expect(effect(context)()).rejects.toThrow(TakenOverError)
    await expect(context.progress(99)).rejects.toThrow(TakenOverError)
    late.resolve({ type: 'success', body: 'late' })
    await first.close()
    expect(await status()).toMatchObject({ status: 'completed', outcome: done })
    expect(await status()).not.toHaveProperty('progress')
    expect(await countEffects(store(), name)).toBe(1)
  })

  it('is not taken over while its process renews the lease', async () => {
    const heartbeats = stopHeartbeats()
    const clock = createTestClock()
    let runs = 0
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<Outcome>()
    const job = newJob()
    const runner = () => {
      runs += 1
      begun.resolve()
      return end.promise
    }
    const [first, second] = [open({ now: clock.now }), open({ now: clock.now })]
    first.start(new Map([[job.scope.operation, runner]]))
    const operationId = await accept(first, job)
    // Otherwise the second process could take it.
    await begun.promise
    second.start(new Map([[job.scope.operation, runner]]))
    // Without these renewals the lease would have ended.
    for (let count = 0; count < 4; count += 1) {
      clock.forward(HEARTBEAT_SECONDS)
      const renewed = first.store.answered(statements.renewal, 1)
      heartbeats.next()
      await renewed
    }
    await second.store.answered(statements.poll, 3)
    end.resolve(done)
    await expect
      .poll(() => first.status(job.scope.tenantId, operationId))
      .toMatchObject({ status: 'completed' })
    expect(runs).toBe(1)
  })

  it('is run by one of many workers', async () => {
    const job = newJob()
    const runs = new Map<string, number>()
    const runner: JobRunner = async ({ params }) => {
      const id = params['noteId'] ?? ''
      runs.set(id, (runs.get(id) ?? 0) + 1)
      return done
    }
    const processes = Array.from({ length: 5 }, () => open({ workers: 5 }))
    for (const each of processes) each.start(new Map([[job.scope.operation, runner]]))
    const [first] = processes
    if (first === undefined) throw new Error('no process')
    const acceptOne = (_: unknown, index: number) => accept(first, { ...job, params: { noteId: `${index}` } })
    const ids = await Promise.all(Array.from({ length: 100 }, acceptOne))
    for (const id of ids) {
      await expect.poll(() => first.status(job.scope.tenantId, id)).toMatchObject({ status: 'completed' })
    }
    expect(runs.size).toBe(100)
    expect([...runs.values()].every((count) => count === 1)).toBe(true)
  })
}

/** Stops the heartbeats of processes opened from here on, so that a busy machine does not lose a lease between two. */
function stopHeartbeats() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return { next: () => void vi.advanceTimersByTime(HEARTBEAT_SECONDS * 1000) }
}

/** The state after a process was killed right after it leased an operation. */
async function leaseForADeadProcess(store: ReturnType<StoreUnderTest>, operationId: string, until: Date) {
  await store.query(
    'UPDATE agentic_operations SET fence = fence + 1, attempts = attempts + 1, available_at = $2 WHERE operation_id = $1',
    [operationId, until],
  )
}

function describeClosing({ open, accept, run }: Tools): void {
  it('lets runs end when it is closed', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<Outcome>()
    const { operations, status } = await run(
      async () => {
        begun.resolve()
        return end.promise
      },
      { closeSeconds: 10 },
    )
    await begun.promise
    const closed = operations.close()
    end.resolve(done)
    await closed
    expect(await status()).toMatchObject({ status: 'completed', outcome: done })
  })

  it('gives what does not end to another process at once, without counting the attempt', async () => {
    const begun = Promise.withResolvers<JobContext>()
    const { operations, job, status } = await run(
      (_job, context) => {
        begun.resolve(context)
        return new Promise(() => undefined)
      },
      { maxAttempts: 1 },
    )
    const { signal, finish } = await begun.promise
    await operations.close()
    expect(signal.reason).toEqual(new Error('the service is closing'))
    await expect(finish(async () => done)).rejects.toThrow(TakenOverError)
    const another = open({ maxAttempts: 1 })
    another.start(new Map([[job.scope.operation, async () => done]]))
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
  })

  it('takes no more work once it is closed', async () => {
    let runs = 0
    const { operations, job, status } = await run(async () => {
      runs += 1
      return done
    })
    await expect.poll(status).toMatchObject({ status: 'completed' })
    await operations.close()
    const operationId = await accept(operations, job)
    const another = open()
    another.start(new Map([['something-else', async () => done]]))
    await another.store.answered(statements.poll, 3)
    expect(await operations.status(job.scope.tenantId, operationId)).toMatchObject({ status: 'working' })
    expect(runs).toBe(1)
    expect(() => operations.start(new Map())).toThrow('the workers were started before')
  })
}

function describeUnsteadyStore({ open, accept, run }: Tools): void {
  const away = new StoreUnavailableError('the store is not available')

  it('keeps the result of a run for when the store is back, and does not run it again', async () => {
    let runs = 0
    const faults: BackgroundFault[] = []
    const operations = open({ onFault: (fault) => faults.push(fault) })
    operations.store.failNext(statements.settlement, 3, away)
    const job = newJob()
    const runner = async () => {
      runs += 1
      return done
    }
    operations.start(new Map([[job.scope.operation, runner]]))
    const operationId = await accept(operations, job)
    const status = () => operations.status(job.scope.tenantId, operationId)
    await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
    expect(runs).toBe(1)
    const fault = { message: 'the result of a run could not be kept', cause: away, operationId }
    expect(faults).toEqual([fault, fault, fault])
  })

  it('asks for work again when the store is back, and says once that it was away', async () => {
    const faults: BackgroundFault[] = []
    const operations = open({ onFault: (fault) => faults.push(fault) })
    operations.store.failNext(statements.poll, 5, away)
    const job = newJob()
    operations.start(new Map([[job.scope.operation, async () => done]]))
    const operationId = await accept(operations, job)
    await expect
      .poll(() => operations.status(job.scope.tenantId, operationId))
      .toMatchObject({
        status: 'completed',
      })
    expect(faults).toEqual([{ message: 'the store could not be asked for work', cause: away }])
  })

  it('aborts a run whose lease has run out while the store was away', async () => {
    const aborted = Promise.withResolvers<unknown>()
    const begun = Promise.withResolvers<void>()
    const { operations } = await run(
      (_job, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason))
        begun.resolve()
        return new Promise(() => undefined)
      },
      { leaseSeconds: 0.2 },
    )
    await begun.promise
    operations.store.failNext(statements.renewal, 1000, away)
    operations.store.failNext(statements.poll, 1000, away)
    expect(await aborted.promise).toEqual(new Error('the lease ran out'))
  })
}
