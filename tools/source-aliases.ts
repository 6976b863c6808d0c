import { join } from 'node:path'
import { readWorkspaces } from './workspaces.ts'

/** An import of a workspace by name, and the file that it means. */
export interface SourceAlias {
  readonly find: RegExp
  readonly replacement: string
}

/** The imports of all workspaces as files below `root`, wherever the links of `node_modules` lead. */
export function sourceAliases(root: string): SourceAlias[] {
  return readWorkspaces(root).flatMap(({ folder, manifest: { name = folder, exports = {} } }) =>
    Object.entries(exports).flatMap(([subpath, target]) => {
      const source = sourceOf(target)
      if (source === undefined) return []
      const specifier = `${name}${subpath.slice(1)}`
      const find = new RegExp(`^${specifier.replaceAll(/[.*]/g, (each) => (each === '*' ? '(.+)' : '\\.'))}$`)
      return [{ find, replacement: join(root, folder, source.replace('*', '$1')) }]
    }),
  )
}

function sourceOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (typeof target !== 'object' || target === null || !('agentic-source' in target)) return undefined
  return String(target['agentic-source'])
}
