import { setTimeout as delay } from 'node:timers/promises'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { expect, it } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'
import { createEffects } from './behaviour/effects.ts'
import { acceptJobs } from './harness/accept-jobs.ts'
import { type RunningProgram, startProgram } from './harness/run-program.ts'
import { allEnded, expectOneResultEach } from './harness/run-to-completion.ts'

// The chaos run "operations" does the same with ten thousand, paused workers and a restarted PostgreSQL.
const count = 600
const millisecondsBetweenKills = 1000

describePostgres('workers that are killed', (server) => {
  it(`complete ${count} operations, each with one result, though one is killed every second`, async () => {
    const url = await server().createDatabase()
    const store = createStore({ url })
    await store.migrate()
    await createEffects(store)
    await acceptJobs(store, count)
    const workers = [1, 2, 3].map(() => startProgram('counting-worker', { url }))
    const killing = killOneByOne(workers, url)
    await allEnded(store, 240_000)
    const kills = await killing.stop()
    await expectOneResultEach(store, count)
    const [attempts] = await store.query(
      `SELECT sum(attempts)::int AS begun, max(attempts) AS most,
        count(*) FILTER (WHERE attempts > 1)::int AS repeated FROM agentic_operations`,
    )
    process.stdout.write(
      `${count} operations, ${kills} workers killed, attempts: ${JSON.stringify(attempts)}\n`,
    )
    expect(kills).toBeGreaterThan(0)
    await store.close()
  })
})

/** Kills the oldest active worker every second and starts another. */
function killOneByOne(workers: RunningProgram[], url: string) {
  let isOver = false
  let kills = 0
  const over = new AbortController()
  const run = async () => {
    while (!isOver) {
      // Wait: kills come at a pace.
      await delay(millisecondsBetweenKills, undefined, { signal: over.signal }).catch(() => undefined)
      workers.push(startProgram('counting-worker', { url }))
      const oldest = workers.shift()
      // On a busy machine a worker needs more than three seconds to start. Killed earlier, none would ever work.
      await oldest?.told('started')
      oldest?.process.kill('SIGKILL')
      await oldest?.ended
      kills += 1
    }
    for (const worker of workers) worker.process.kill('SIGKILL')
    await Promise.all(workers.map(({ ended }) => ended))
  }
  const running = run()
  return {
    async stop(): Promise<number> {
      isOver = true
      over.abort()
      await running
      return kills
    },
  }
}
