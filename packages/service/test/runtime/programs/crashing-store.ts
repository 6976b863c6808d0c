import type { Sql, Store } from '../../../src/runtime/store.ts'

// Pollers, heartbeats and sweeps come when they come; a kill at the n-th step has to hit the same step every time.
const isBackground = /SKIP LOCKED|SET available_at|SET lease_until|SET reserved_until/

/** Where a process kills itself. */
export interface Crash {
  /** Right before the n-th step; 0 for never. */
  readonly killAt: number
  /** Whether every statement is a step, or only what changes what a crash leaves behind. */
  readonly steps: 'statements' | 'changes'
}

/** A store whose process kills itself right before the n-th thing that it is asked to do, as the machine might. */
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
        // The next thing would be the commit.
        step()
        return inner
      })
      step()
      return result
    },
  }
}

function isLease(text: string): boolean {
  return text.startsWith('WITH due')
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}
