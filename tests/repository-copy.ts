import { cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { repositoryRoot } from '../tools/packed-packages.ts'

// Built, installed and temporary files are not copied.
const left = new Set(['node_modules', 'dist', 'coverage', '.agentic', '.git'])

/** A copy of this repository with the same packages, for commands that write; with all folders or the named ones. */
export function copyRepository(folders?: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'agentic-copy-'))
  const filter = (path: string) => !left.has(basename(path))
  for (const entry of readdirSync(repositoryRoot, { withFileTypes: true }))
    if (entry.isFile() || (folders?.includes(entry.name) ?? true))
      cpSync(join(repositoryRoot, entry.name), join(copy, entry.name), { recursive: true, filter })
  symlinkSync(join(repositoryRoot, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
