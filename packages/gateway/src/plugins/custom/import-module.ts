import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type LoadHookSync, type ResolveHookSync, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { ConfigResult } from '../../config/parse-config.ts'

type ValidConfig = Extract<ConfigResult, { readonly ok: true }>

/**
 * Adds the texts of the module files to a configuration, so that every process that loads it runs the same modules. A
 * file that cannot be read is left out: its import reports the fault.
 */
export async function pinModules(loaded: ValidConfig): Promise<ValidConfig> {
  const { custom } = loaded.config.plugins
  if (custom === undefined) return loaded
  const read = custom.map(async ({ module: file }) => [[file, await readFile(file, 'utf8')]] as const)
  const texts = await Promise.all(read.map((entry) => entry.catch(() => [])))
  return { ...loaded, modules: Object.fromEntries(texts.flat()) }
}

/** Imports an ES module from its text, as if the file still had it: relative imports start from its folder. */
export async function importModule(file: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  // Node keeps every module it has imported. The digest makes a changed text another module, so that a reload uses it.
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const url = `${pathToFileURL(file).href}?digest=${digest}`
  let isNew = false
  const load = () => {
    isNew = true
    return { format: /ts$/.test(file) ? 'module-typescript' : 'module', source: text, shortCircuit: true }
  }
  try {
    return await importFrom(url, load)
  } catch (error) {
    if (isNew) throw error
    // Node also keeps a module that failed. It may work now, for example because its environment has changed.
    return await importFrom(`${url}&attempt=${randomUUID()}`, load)
  }
}

async function importFrom(url: string, load: () => ReturnType<LoadHookSync>) {
  const hooks = registerHooks({
    resolve: (wanted, context, next) =>
      wanted === url ? { url, shortCircuit: true } : resolveOrOwn(wanted, context, next),
    load: (wanted, context, next) => (wanted === url ? load() : next(wanted, context)),
  })
  try {
    return await import(url)
  } finally {
    hooks.deregister()
  }
}

const OWN_PACKAGE = '@agentic-rest/gateway'

/** A module outside a project has no packages beside it: it gets `definePlugin` from the running program. */
const resolveOrOwn: ResolveHookSync = (wanted, context, next) => {
  if (wanted !== OWN_PACKAGE) return next(wanted, context)
  try {
    return next(wanted, context)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return next(wanted, { ...context, parentURL: import.meta.url })
  }
}
