import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLongSet } from '@agentic-rest/testing/long-set'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'
import { StoreLockedError } from '../../src/runtime/store.ts'
import { showKilledAtEachStep } from './behaviour/killed-behaviour.ts'
import { describeRuntime } from './behaviour/runtime-behaviour.ts'
import { startProgram } from './harness/run-program.ts'

/** All tests share one folder, because a new one takes seconds. */
describe('in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-store-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has no half a database after a kill -9 while the folder is filled', async () => {
    // Made from nothing, as it is outside of these tests.
    vi.stubEnv('AGENTIC_EMPTY_DATABASE', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const program = startProgram('folder-filler', { folder })
    expect(await program.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(join(folder, 'unfinished', 'global'))).toBe(true)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  describe('filled afterwards', () => {
    const store = createStore({ folder })
    beforeAll(() => store.migrate())
    afterAll(() => store.close())

    it('has nothing left of the process that was killed', () => {
      expect(existsSync(join(folder, 'unfinished'))).toBe(false)
    })

    describeRuntime(() => store)
  })

  describe('opened again', () => {
    it('is refused to a second process and a second store, until the first is killed; what it kept is there', async () => {
      const holder = startProgram('folder-holder', { folder })
      await holder.told('open')
      const store = createStore({ folder })
      await expect(store.migrate()).rejects.toThrow(StoreLockedError)
      await expect(store.migrate()).rejects.toThrow(
        `the folder ${folder} is in use by another process or store`,
      )
      const second = await startProgram('folder-holder', { folder }).ended
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('STORE_LOCKED') })
      holder.process.kill('SIGKILL')
      await holder.ended
      expect(await store.query('SELECT name FROM held')).toEqual([{ name: 'kept' }])
      await expect(createStore({ folder }).migrate()).rejects.toThrow(StoreLockedError)
      await store.close()
    })

    // Opening the embedded database takes most of a second. Inside a transaction a crash leaves behind what a crash
    // before it does; `npm run test:long` shows that as well.
    const steps = isLongSet ? 'statements' : 'changes'

    it(`has one effect per key, operation and approval after a kill -9 around each commit (${steps})`, async () => {
      await showKilledAtEachStep({ folder }, steps)
    })
  })
})
