import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { formatFaults, type LoadedResult, loadPlugins, parseConfig } from '../../src/index.ts'

/** A git-ignored folder inside the repository, so that modules in it find zod and the gateway. */
const scratch = join(import.meta.dirname, '../../../../.agentic')

/** A folder with plugin modules and a configuration file. */
export interface ModuleFolder {
  readonly path: string
  /** The configuration file; it exists by name only. */
  readonly file: string
  write(files: Readonly<Record<string, string>>): void
  /** Reads a configuration as if it stood in the folder, and loads its plugins. */
  load(text: string, env?: Record<string, string>): Promise<LoadedResult>
  /** The faults of a configuration, without the path of the folder. */
  faults(text: string, env?: Record<string, string>): Promise<string>
}

/** Makes a folder with files in it; it is removed with the test. */
export function moduleFolder(files: Readonly<Record<string, string>> = {}): ModuleFolder {
  mkdirSync(scratch, { recursive: true })
  const path = mkdtempSync(join(scratch, 'modules-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const file = join(path, 'gateway.yaml')
  const write = (more: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(more)) writeFileSync(join(path, name), text)
  }
  write(files)
  const load = (text: string, env = {}) => loadPlugins(parseConfig(text, { file, env }))
  const faults = async (text: string, env = {}) => {
    const result = await load(text, env)
    return result.ok ? 'valid' : formatFaults(result.faults).replaceAll(`${path}/`, '')
  }
  return { path, file, write, load, faults }
}

/** A configuration with one plugin; `options` is YAML behind the key. */
export function withPlugin(options = '{}', more = ''): string {
  return `plugins:
  token-validator: { mode: off }
  tenant-injector: { trust_header: everyone }
  custom:
    - name: mine
      module: ./mine.mjs
      options: ${options}${more}
routes: []
`
}
