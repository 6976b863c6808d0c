import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

const SOURCE = /\.(?:[cm]?[jt]sx?|json)$/
// Installed packages have thousands of folders and are not edited. Hidden folders belong to tools.
const SKIPPED = /^(?:node_modules$|\.)/
// Editors write a file in several steps.
const SETTLE_MS = 200

/**
 * Calls `onChange` with a file name after a change of a source file in a folder or below it; the returned function stops
 * that. Each folder is watched by itself: a watch on a file ends when an editor saves by renaming another one to it, which
 * also happens inside of a recursive watch on Linux.
 */
export function watchSources(folder: string, onChange: (file: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>()
  let settling: NodeJS.Timeout | undefined
  const told = (path: string) => {
    clearTimeout(settling)
    settling = setTimeout(onChange, SETTLE_MS, relative(folder, path))
  }

  function forget(path: string): void {
    for (const [each, watcher] of watchers) {
      if (each !== path && !each.startsWith(join(path, '/'))) continue
      watcher.close()
      watchers.delete(each)
    }
  }

  /** Watches a folder and those in it. `onSource` gets the sources that are there. */
  function add(path: string, onSource: (path: string) => void): void {
    const watcher = watch(path, { persistent: false }, (_event, name) => {
      if (name === null || SKIPPED.test(name)) return
      const changed = join(path, name)
      if (SOURCE.test(name)) return told(changed)
      // A folder with the name of an earlier one is another folder.
      forget(changed)
      addFolder(changed, told)
    })
    // Without watching, the stack still runs.
    watcher.on('error', () => forget(path))
    watchers.set(path, watcher)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name)
      if (SKIPPED.test(entry.name)) continue
      if (entry.isDirectory()) addFolder(inner, onSource)
      else if (SOURCE.test(entry.name)) onSource(inner)
    }
  }

  function addFolder(path: string, onSource: (path: string) => void): void {
    try {
      if (readdirSync(path) !== undefined) add(path, onSource)
    } catch {
      // It is a file, or gone already.
      forget(path)
    }
  }

  addFolder(folder, () => undefined)
  return () => {
    clearTimeout(settling)
    forget(folder)
  }
}
