import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createStore } from '../../src/runtime/create-store.ts'
import { StoreLockedError } from '../../src/runtime/store-errors.ts'
import { showKilledAtEachStep } from './behaviour/killed-behaviour.ts'
import { startProgram } from './harness/run-program.ts'

/** One folder goes through all of it, because a new one takes seconds to make. */
describe('killed in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-killed-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has no half a database after a kill -9 while the folder is filled', async () => {
    const program = startProgram('folder-holder', { folder })
    await expect.poll(() => existsSync(join(folder, 'unfinished', 'global')), { timeout: 60_000 }).toBe(true)
    program.process.kill('SIGKILL')
    expect(await program.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(join(folder, 'data'))).toBe(false)
    const again = startProgram('folder-holder', { folder })
    await again.told('open')
    again.process.kill('SIGKILL')
    await again.ended
    expect(existsSync(join(folder, 'unfinished'))).toBe(false)
  }, 120_000)

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
    expect(await store.query('SELECT name FROM notes')).toEqual([{ name: 'kept' }, { name: 'kept' }])
    await expect(createStore({ folder }).migrate()).rejects.toThrow(StoreLockedError)
    await store.close()
  }, 120_000)

  // Opening the embedded database takes most of a second. Inside a transaction a crash leaves behind what a crash
  // before it does; with AGENTIC_LONG_TESTS=1 that is shown as well.
  const steps = process.env['AGENTIC_LONG_TESTS'] === '1' ? 'statements' : 'changes'

  it(`has one effect per key, operation and approval after a kill -9 before and after each commit (${steps})`, async () => {
    await showKilledAtEachStep({ folder }, steps)
  }, 300_000)
})
