import { cp, rename, rm } from 'node:fs/promises'
import { createStore } from '@agentic-rest/service'

// A separate process, because creating a database blocks it for seconds.
const [first = '', ...others] = process.argv.slice(2)

const store = createStore({ folder: first })
await store.query('SELECT 1')
await store.close()
await Promise.all(others.map(copyTo))
process.exit(0)

/** Copies under another name and renames at the end, so that a killed process leaves no partial database. */
async function copyTo(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await cp(first, unfinished, { recursive: true })
  await rename(unfinished, folder)
}
