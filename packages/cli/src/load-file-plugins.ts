import { setImmediate } from 'node:timers/promises'
import { type ConfigResult, formatPath, type LoadedResult, loadPlugins } from '@agentic-rest/gateway'
import { printable } from '@agentic-rest/profile'
import type { Host } from './host.ts'

const PATH = ['plugins', 'custom'] as const
const LONGEST_REASON = 256

/**
 * Loads the custom plugins of a file. A promise of a module that rejects without a handler would end the process with a
 * stack; here it is a fault of the file.
 */
export async function loadFilePlugins(
  result: ConfigResult,
  host: Host,
  load = loadPlugins,
): Promise<LoadedResult> {
  const reasons: unknown[] = []
  const note = (reason: unknown) => void reasons.push(reason)
  host.on('unhandledRejection', note)
  const loaded = await load(result)
  // Node reports a rejection after the microtasks, so that the module has had its chance to handle it.
  await setImmediate()
  host.off('unhandledRejection', note)
  if (!loaded.ok || reasons.length === 0) return loaded
  const message = `a module leaves a rejected promise without a handler: ${reasonOf(reasons[0])}`
  const place = { file: loaded.file, ...loaded.positionOf(PATH), path: formatPath(PATH) }
  return { ok: false, faults: [{ ...place, message, kind: 'invalid' }] }
}

function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return `a value of type ${typeof reason}`
  const [line = ''] = String(reason.message).split('\n')
  return printable(line.slice(0, LONGEST_REASON))
}
