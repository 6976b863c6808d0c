import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { repositoryRoot } from './packed-packages.ts'

// Built, installed and temporary files are not copied.
const left = new Set(['node_modules', 'dist', 'coverage', '.agentic', '.git'])

/** A copy of this repository with the same packages, for commands that write. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'agentic-copy-'))
  cpSync(repositoryRoot, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
  symlinkSync(join(repositoryRoot, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
