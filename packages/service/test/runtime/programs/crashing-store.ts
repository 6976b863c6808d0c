import type { Sql, Store } from '../../../src/runtime/store.ts'

// Polls, heartbeats and sweeps are not counted, because their timing varies.
const isBackground = /SKIP LOCKED|agentic_lease\(|SET available_at|SET lease_until|SET reserved_until/

/** The step at which a process kills itself. */
export interface Crash {
  /** Right before the n-th step; 0 for never. */
  readonly killAt: number
  /** Whether every statement is a step, or only statements that change the state after a crash. */
  readonly steps: 'statements' | 'changes'
}

/** A store whose process kills itself right before the n-th step. */
export function createCrashingStore(store: Store, { killAt, steps }: Crash): Store {
  let count = 0
  const step = () => {
    count += 1
    if (count === killAt) die()
  }
  const statement = () => {
    if (steps === 'statements') step()
  }
  const crashing = (sql: Sql, beforeChange: () => void): Sql => ({
    ...sql,
    async query(text, parameters) {
      if (!isBackground.test(text)) (text.startsWith('SELECT') ? statement : beforeChange)()
      const rows = await sql.query(text, parameters)
      if (isLease(text) && rows.length > 0) step()
      return rows as never
    },
  })
  return {
    ...store,
    ...crashing(store, step),
    async transaction(work) {
      statement()
      const result = await store.transaction(async (sql) => {
        const inner = await work(crashing(sql, statement))
        // The next step would be the commit.
        step()
        return inner
      })
      step()
      return result
    },
  }
}

function isLease(text: string): boolean {
  return text.includes('agentic_lease(')
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}
