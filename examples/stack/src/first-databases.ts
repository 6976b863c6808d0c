import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { programEntry } from './part-entry.ts'

/** What the databases are made with. */
export interface FirstDatabases {
  /** Where they are going to be. */
  readonly folders: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes one empty database and copies it, when there is none yet: making one takes seconds of a processor, copying it
 * does not. A part whose database is not there makes its own, so nothing depends on how this ends.
 */
export async function makeFirstDatabases({ folders, env, signal }: FirstDatabases): Promise<void> {
  if (folders.length < 2 || folders.some((folder) => existsSync(folder))) return
  const { file, nodeArguments } = programEntry('make-databases')
  const child = spawn(process.execPath, [...nodeArguments, file, ...folders], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(signal && { signal }),
  })
  await new Promise((resolve) => child.once('error', resolve).once('exit', resolve))
}
