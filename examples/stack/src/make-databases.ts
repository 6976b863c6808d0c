import { cp, rename, rm } from 'node:fs/promises'
import { createStore } from '@agentic-rest/service'

// A process of its own: making a database keeps one busy for seconds.
const [first = '', ...others] = process.argv.slice(2)

const store = createStore({ folder: first })
await store.query('SELECT 1')
await store.close()
await Promise.all(others.map(copyTo))
process.exit(0)

/** A folder gets its name when it is complete: a process that is killed leaves no half of a database. */
async function copyTo(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await cp(first, unfinished, { recursive: true })
  await rename(unfinished, folder)
}
