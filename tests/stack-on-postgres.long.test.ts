import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createStore } from '@agentic-rest/service'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { newFolder, npmRun, startStack } from '@agentic-rest/testing/start-stack'
import { expect, onTestFinished, test } from 'vitest'
import { acceptOperations } from '../examples/stack/test/harness/accepted-operations.ts'
import { startBusyCaller } from '../examples/stack/test/harness/busy-caller.ts'

const storing = ['campaigns', 'recommendations', 'inventory']

describePostgres('the stack on PostgreSQL', (server) => {
  test('answers as embedded databases do, and keeps everything there through kill -9 and a restart', async () => {
    const folder = newFolder()
    const databaseUrl = await server().createDatabase()
    const place = { portBase: await freePortBase(), data: folder.path, env: { DATABASE_URL: databaseUrl } }
    let stack = await startStack(place)
    onTestFinished(async () => {
      stack.npm.kill('SIGTERM')
      await stack.ended
      folder.remove()
    })
    expect(stack.printed()).toContain('\nData is in the database of DATABASE_URL, keys are in ')
    const tour = await npmRun('tour', ['--port-base', String(place.portBase)])
    expect(tour.stdout).toMatch(/\nstops: \d+, wrong: 0\n$/)

    const caller = await startBusyCaller(place.portBase)
    const operations = await acceptOperations(place.portBase)
    for (const [, name, pid] of stack.printed().matchAll(/^ {2}(\S+) +http:\S+ +process (\d+)/gm)) {
      if (!storing.includes(name ?? '')) continue
      process.kill(Number(pid), 'SIGKILL')
      await stack.printing(new RegExp(`${name} +runs again as process \\d+\n`))
    }
    await caller.stop()
    await caller.expectNothingLost()
    await operations.expectCompleted()

    stack.npm.kill('SIGTERM')
    expect((await stack.ended).code).toBe(0)
    expect(storing.filter((name) => existsSync(join(place.data, name, 'database')))).toEqual([])
    expect(await schemasOf(databaseUrl)).toEqual(
      expect.arrayContaining(storing.map((name) => `agentic_${name}`)),
    )
    stack = await startStack(place)
    await caller.expectNothingLost()
  })
})

async function schemasOf(url: string): Promise<string[]> {
  const store = createStore({ url, connections: 1 })
  try {
    const rows = await store.query<{ name: string }>(
      'SELECT DISTINCT table_schema AS name FROM information_schema.tables',
    )
    return rows.map(({ name }) => name)
  } finally {
    await store.close()
  }
}
