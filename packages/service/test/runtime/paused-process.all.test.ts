import type { Outcome } from '@agentic-rest/profile'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { afterEach, expect, it } from 'vitest'
import type { Claim } from '../../src/runtime/contract.ts'
import { createIdempotency } from '../../src/runtime/idempotency.ts'
import { createOperations } from '../../src/runtime/operations.ts'
import { createStore } from '../../src/runtime/sql-store.ts'
import type { Store } from '../../src/runtime/store.ts'
import { addEffect, countEffects, createEffects } from './behaviour/effects.ts'
import { type RunningProgram, startProgram } from './harness/run-program.ts'
import type { PausedSettings } from './programs/paused-service.ts'

const done: Outcome = { type: 'success', body: 'in time' }
const trace = { correlationId: 'c', requestId: 'r' }

describePostgres('a process stopped past its lease and woken', (server) => {
  const programs: RunningProgram[] = []
  const stores: Store[] = []
  afterEach(async () => {
    for (const program of programs.splice(0)) program.process.kill('SIGKILL')
    await Promise.all(stores.splice(0).map((store) => store.close()))
  })

  async function openStore(query = '') {
    const url = `${await server().createDatabase()}${query}`
    const store = createStore({ url })
    stores.push(store)
    await store.migrate()
    await createEffects(store)
    return { store, url }
  }

  async function stop(settings: PausedSettings): Promise<RunningProgram> {
    const program = startProgram('paused-service', settings)
    programs.push(program)
    await program.told('holding')
    program.process.kill('SIGSTOP')
    return program
  }

  async function wake(program: RunningProgram): Promise<string> {
    program.process.kill('SIGUSR2')
    program.process.kill('SIGCONT')
    return program.told('ended')
  }

  it('has lost its idempotency key: its effect is rolled back', async () => {
    const { store, url } = await openStore()
    const program = await stop({ url, tenantId: 'acme', holding: 'key' })
    const keys = createIdempotency(store)
    const scope = { tenantId: 'acme', operation: 'pay', requester: 'alice' }
    const claims: Claim[] = []
    const claimAgain = async () => {
      const claim = await keys.claim(scope, 'key', 'digest')
      claims.push(claim)
      return claim.kind
    }
    await expect.poll(claimAgain).toBe('claimed')
    await store.transaction(async (sql) => {
      await addEffect(sql, 'acme', 'acme')
      const claim = claims.at(-1)
      if (claim?.kind === 'claimed') await claim.complete(sql, { outcome: done, headers: {} })
    })
    expect(await wake(program)).toBe('ended: TakenOverError')
    expect(await countEffects(store, 'acme')).toBe(1)
    const replay = { kind: 'replay', stored: { outcome: done, headers: {} } }
    expect(await keys.claim(scope, 'key', 'digest')).toEqual(replay)
  })

  it.each(['operation', 'transaction'] as const)(
    'has lost what it held, the %s: one effect, one result',
    async (holding) => {
      // The server ends the session of a process suspended in a transaction, here after a second.
      const { store, url } = await openStore('?idle_in_transaction_session_timeout=1000')
      const operations = createOperations(store, { pollMilliseconds: 10 })
      const scope = { tenantId: 'acme', operation: 'pay', requester: 'alice' }
      const job = {
        scope,
        actor: '',
        roles: [],
        trace,
        input: {},
        params: {},
        idempotencyKey: undefined,
        approvalId: undefined,
      }
      const { operationId } = await store.transaction((sql) => operations.accept(sql, job))
      const program = await stop({ url, tenantId: 'acme', holding })
      operations.start(
        new Map([
          [
            'pay',
            (_job, context) =>
              context.finish(async (sql) => {
                await addEffect(sql, 'acme', 'acme')
                return done
              }),
          ],
        ]),
      )
      const status = () => operations.status('acme', operationId)
      await expect.poll(status).toMatchObject({ status: 'completed', outcome: done })
      expect(await wake(program)).toBe(
        `ended: ${holding === 'operation' ? 'TakenOverError' : 'StoreUnavailableError'}`,
      )
      expect(await program.ended).toMatchObject({ code: 0 })
      expect(await status()).toMatchObject({ status: 'completed', outcome: done })
      expect(await countEffects(store, 'acme')).toBe(1)
      await operations.close()
    },
  )
})
