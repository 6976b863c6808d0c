import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'

const SOURCE = /\.(?:[cm]?[jt]sx?|json)$/
// An editor writes a file in several steps.
const SETTLE_MS = 200

/** Calls `onChange` with a file name after a change of a source file in a folder; the returned function stops that. */
export function watchSources(folder: string, onChange: (file: string) => void): () => void {
  let settling: NodeJS.Timeout | undefined
  // Installed packages are thousands of folders, and nobody edits them.
  const recursive = !existsSync(join(folder, 'node_modules'))
  const watcher = watch(folder, { recursive, persistent: false }, (_event, file) => {
    if (file === null || !SOURCE.test(file)) return
    clearTimeout(settling)
    settling = setTimeout(onChange, SETTLE_MS, file)
  })
  // A folder that cannot be watched any more costs comfort, not the stack.
  watcher.on('error', () => watcher.close())
  return () => {
    clearTimeout(settling)
    watcher.close()
  }
}
