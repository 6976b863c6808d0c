/** Fills the store of a new folder and kills itself in the middle of it, as the machine might. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { createStore } from '../../../src/runtime/sql-store.ts'
import { readSettings } from './settings.ts'

const { folder } = readSettings<{ readonly folder: string }>()
const half = join(folder, 'unfinished', 'global')
const { mkdirSync } = fs
// The embedded database creates its folders one after the other; this one is neither the first nor the last.
fs.mkdirSync = function mkdirOrDie(...parameters: Parameters<typeof mkdirSync>) {
  const made = mkdirSync(...parameters)
  if (parameters[0] === half) process.kill(process.pid, 'SIGKILL')
  return made
} as typeof mkdirSync
syncBuiltinESMExports()
await createStore({ folder }).migrate()
