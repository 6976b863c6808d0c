import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore } from '@agentic-rest/service'
import { expect, onTestFinished, test } from 'vitest'
import { makeFirstDatabases } from '../src/databases.ts'

// Other tests begin with a database that is ready; here it is made from nothing, as at a first start anywhere.
const env = { ...process.env, AGENTIC_EMPTY_DATABASE: '' }

function newFolders() {
  const parent = mkdtempSync(join(tmpdir(), 'agentic-databases-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  return { parent, folders: ['one', 'two'].map((name) => join(parent, name)) }
}

test('the second database is a copy of the first that works, and nothing else is left', async () => {
  const { parent, folders } = newFolders()
  await makeFirstDatabases({ folders, env })
  expect(readdirSync(parent).toSorted()).toEqual(['one', 'two'])
  const store = createStore({ folder: folders[1] ?? '' })
  onTestFinished(() => store.close())
  expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('where one is there already, none is touched', async () => {
  const { folders } = newFolders()
  const [one = '', two = ''] = folders
  mkdirSync(two)
  await makeFirstDatabases({ folders, env })
  expect([existsSync(one), readdirSync(two)]).toEqual([false, []])
})

test('a stack that is told to stop does not wait for them', async () => {
  const { folders } = newFolders()
  await makeFirstDatabases({ folders, env, signal: AbortSignal.abort() })
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, false])
})
