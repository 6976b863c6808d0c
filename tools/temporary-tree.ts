import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of this repository that git ignores, for trees with programs that need its node_modules. */
export const scratchFolder = join(import.meta.dirname, '../.agentic')

/** Creates a small repository from paths and contents. Returns its root. It is removed when the test ends. */
export function temporaryTree(files: Readonly<Record<string, string>>, parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const root = mkdtempSync(join(parent, 'agentic-tree-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  addFiles(root, files)
  return root
}

/** Writes more files into a tree and overwrites existing ones. */
export function addFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}
