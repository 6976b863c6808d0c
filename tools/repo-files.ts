import { existsSync, globSync, readFileSync } from 'node:fs'

// Folders ignored by git: built, installed or temporary files.
const ignored = ['**/node_modules', '**/dist', '**/coverage', '**/.agentic', '.git']

/** Files of the repository that match the globs, relative and sorted, without built and installed files. */
export function listFiles(root: string, globs: readonly string[]): string[] {
  return globSync([...globs], { cwd: root, exclude: ignored, withFileTypes: false }).toSorted()
}

/** The text of a file; undefined without the file. */
export function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** All script sources below the given folders; by default of the whole repository. */
export function listSources(root: string, folders: readonly string[] = ['.']): string[] {
  return listFiles(
    root,
    folders.map((folder) => `${folder === '.' ? '' : `${folder}/`}**/*.{ts,tsx,mts,cts,js,mjs,cjs,jsx}`),
  )
}

/**
 * Whether a file is only for tests or measurements, which may spell expected values. A folder `src/test` is shipped with
 * its package and does not count.
 */
export function isTestFile(path: string): boolean {
  return (
    /\.test(-d)?\.\w+$/.test(path) ||
    path.startsWith('packages/testing/') ||
    /^((packages|examples)\/[^/]+\/(template\/)?)?(test|tests|bench|chaos)\//.test(path)
  )
}
