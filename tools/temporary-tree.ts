import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A git-ignored folder of this repository, for trees whose programs import from its node_modules. */
export const scratchFolder = join(import.meta.dirname, '../.agentic')

/** A small repository for one test: path to content in, its root out. It is removed when the test ends. */
export function temporaryTree(files: Readonly<Record<string, string>>, parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const root = mkdtempSync(join(parent, 'agentic-tree-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  addFiles(root, files)
  return root
}

/** Writes more files into a tree, over what is there. */
export function addFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}
