import { dirname, resolve } from 'node:path'
import { formatPath, type Path } from '../../config/faults.ts'
import type { ConfigResult } from '../../config/parse-config.ts'
import { InitialisationError } from '../../errors.ts'
import { silentLog } from '../../log.ts'
import type { Closable } from '../../plugin.ts'
import { createShared } from '../../upstream/shared-resources.ts'
import { holdFor } from '../plugin-set.ts'
import { createCustomPlugin } from './custom-plugin.ts'
import { byPlace, type LoadedResult, loadEntry, loadWith } from './load-plugins.ts'

/** Loads plugins as `loadPlugins` does and tries them, those of a refused file too, so that one check reports all faults. */
export async function loadForCheck(result: ConfigResult): Promise<LoadedResult> {
  if (result.ok) return await loadWith(loadAndTry, result)
  const { sound, faults } = result
  if (sound === undefined) return result
  const loaded = await Promise.all(sound.custom.map((entry) => loadAndTry(entry, sound)))
  const further = loaded.flatMap((each) => (Array.isArray(each) ? each : []))
  return { ...result, faults: [...faults, ...further].toSorted(byPlace) }
}

/** Creates a loaded plugin as a start does, and closes it at once. */
const loadAndTry: typeof loadEntry = async (entry, config) => {
  const loaded = await loadEntry(entry, config)
  if (Array.isArray(loaded)) return loaded
  const { file, positionOf } = config
  const hold = holdFor(loaded.plugin.name, createShared<Closable>())
  try {
    const plugin = createCustomPlugin(loaded, { log: silentLog, hold, baseFolder: dirname(resolve(file)) })
    await plugin.close?.()
    return loaded
  } catch (error) {
    if (!(error instanceof InitialisationError)) throw error
    const path: Path = ['plugins', 'custom', entry[0]]
    const message = error.message.slice(`${loaded.place}: `.length)
    return [{ file, ...positionOf(path), path: formatPath(path), message, kind: 'initialisation' }]
  }
}
