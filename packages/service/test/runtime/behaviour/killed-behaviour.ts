import { expect } from 'vitest'
import { createApprovals } from '../../../src/runtime/approvals/approvals.ts'
import { createStore } from '../../../src/runtime/sql-store.ts'
import type { Store, StoreOptions } from '../../../src/runtime/store.ts'
import { startProgram } from '../harness/run-program.ts'
import type { Crash } from '../programs/crashing-store.ts'
import { countEffects, createEffects } from './effects.ts'

const tenantId = 'killed'
// The number of steps of a request, from its claim to the commit of its background work.
const stepsOfRequest = { statements: 34, changes: 11 } satisfies Record<Crash['steps'], number>

/** Kills a service before each of its steps, and shows that nothing is lost or repeated. */
export async function showKilledAtEachStep(options: StoreOptions, steps: Crash['steps']): Promise<void> {
  await prepare(options)
  const keys: string[] = []
  const tokens: string[] = []
  let killed = true
  for (let killAt = 1; killed; killAt += 1) {
    keys.push(`key-${killAt}`)
    const program = startProgram('keyed-service', {
      store: options,
      tenantId,
      // The key of the killed process before, and a new one.
      keys: keys.slice(-2),
      crash: { killAt, steps },
      secondsAhead: killAt * 60,
    })
    const { code, signal, stderr } = await program.ended
    tokens.push(...program.lines.filter((line) => line.startsWith('token ')))
    expect([code, signal], stderr).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null])
    killed = signal === 'SIGKILL'
  }
  // One process per step, and a last one that is not killed.
  expect(keys).toHaveLength(stepsOfRequest[steps] + 1)
  expect(tokens.length).toBeGreaterThanOrEqual(keys.length)
  await withStore(options, (store) => expectOneEffectEach(store, keys, tokens))
}

async function prepare(options: StoreOptions): Promise<void> {
  await withStore(options, async (store) => {
    await store.migrate()
    await createEffects(store)
  })
}

async function withStore(options: StoreOptions, work: (store: Store) => Promise<void>): Promise<void> {
  const store = createStore(options)
  await work(store)
  await store.close()
}

async function expectOneEffectEach(
  store: Store,
  keys: readonly string[],
  tokens: readonly string[],
): Promise<void> {
  for (const key of keys) {
    expect([key, await countEffects(store, `accepted ${key}`)]).toEqual([key, 1])
    expect([key, await countEffects(store, `ran ${key}`)]).toEqual([key, 1])
  }
  const states = (table: string) =>
    store.query(`SELECT state, count(*)::int AS count FROM ${table} WHERE tenant_id = $1 GROUP BY state`, [
      tenantId,
    ])
  expect(await states('agentic_operations')).toEqual([{ state: 'completed', count: keys.length }])
  expect(await states('agentic_approvals')).toEqual([{ state: 'redeemed', count: keys.length }])
  const stored = await store.query(
    'SELECT stored IS NOT NULL AS stored, count(*)::int AS count FROM agentic_idempotency WHERE tenant_id = $1 GROUP BY 1',
    [tenantId],
  )
  expect(stored).toEqual([{ stored: true, count: keys.length }])
  await expectUsedUp(store, tokens)
}

/** Every issued token is used, or belongs to a used approval. */
async function expectUsedUp(store: Store, tokens: readonly string[]): Promise<void> {
  const approvals = createApprovals(store)
  for (const line of tokens) {
    const [, key = '', token = ''] = line.split(' ')
    const scope = { tenantId, operation: 'pay', requester: 'alice' }
    expect(await approvals.check(scope, key, { token, role: 'approver' })).toEqual({ kind: 'invalid' })
  }
}
