import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'

const SOURCE = /\.(?:[cm]?[jt]sx?|json)$/
// Editors write a file in several steps.
const SETTLE_MS = 200

/** Calls `onChange` with a file name after a change of a source file in a folder; the returned function stops that. */
export function watchSources(folder: string, onChange: (file: string) => void): () => void {
  let settling: NodeJS.Timeout | undefined
  // Installed packages have thousands of folders and are not edited.
  const recursive = !existsSync(join(folder, 'node_modules'))
  const watcher = watch(folder, { recursive, persistent: false }, (_event, file) => {
    if (file === null || !SOURCE.test(file)) return
    clearTimeout(settling)
    settling = setTimeout(onChange, SETTLE_MS, file)
  })
  // Without watching, the stack still runs.
  watcher.on('error', () => watcher.close())
  return () => {
    clearTimeout(settling)
    watcher.close()
  }
}
