import { existsSync, globSync, readFileSync } from 'node:fs'

// Folders that git ignores: what is in them is built, installed or scratch.
const ignored = ['**/node_modules', '**/dist', '**/coverage', '**/.agentic', '.git']

/** Files of the repository that match the globs, relative, sorted, without what is built or installed. */
export function listFiles(root: string, globs: readonly string[]): string[] {
  return globSync([...globs], { cwd: root, exclude: ignored, withFileTypes: false }).toSorted()
}

/** The text of a file, or undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Every script source below the given folders; the whole repository when none is given. */
export function listSources(root: string, folders: readonly string[] = ['.']): string[] {
  return listFiles(
    root,
    folders.map((folder) => `${folder === '.' ? '' : `${folder}/`}**/*.{ts,tsx,mts,cts,js,mjs,cjs,jsx}`),
  )
}

/**
 * Whether a file only exists for tests or measurements, which may spell what they expect. A folder `src/test` is part
 * of what its package ships.
 */
export function isTestFile(path: string): boolean {
  return (
    /\.test(-d)?\.\w+$/.test(path) || /^((packages|examples)\/[^/]+\/)?(test|tests|bench|chaos)\//.test(path)
  )
}
