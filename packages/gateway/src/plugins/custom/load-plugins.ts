import { readFile } from 'node:fs/promises'
import type { CustomPluginOptions } from '../../config/config-schema.ts'
import { type ConfigFault, formatFaults, formatPath, type Path, quote } from '../../config/faults.ts'
import type { ConfigResult } from '../../config/parse-config.ts'
import { checkPluginName, customPlaces } from '../../config/schema/plugin-sections.ts'
import { InitialisationError } from '../../errors.ts'
import { checkOptions, checkOptionsAtOnce, isSchema } from './check-options.ts'
import type { Plugin } from './define-plugin.ts'
import { importModule } from './import-module.ts'
import { inTime, reasonOf, shorten } from './plugin-errors.ts'

/** The place of a custom plugin: directly after this plugin of the gateway, or after custom plugins there. */
export type PluginPlace = (typeof customPlaces)[number]

/** A custom plugin with its place in the order and with checked options. */
export interface LoadedPlugin {
  readonly plugin: Plugin
  readonly after: PluginPlace
  /** The plugin sees the bearer token. */
  readonly token: boolean
  /** The output of the plugin's schema. */
  readonly options: unknown
  /** Its entry in the file; `undefined` for a plugin of the program. */
  readonly entry?: CustomPluginOptions
  /** How messages name it, for example `gateway.yaml:12:7: plugins.custom[0]`. */
  readonly place: string
}

/** A valid configuration with its custom plugins, or all faults. */
export type LoadedResult =
  | (ValidConfig & { readonly customPlugins: readonly LoadedPlugin[] })
  | Extract<ConfigResult, { readonly ok: false }>

type ValidConfig = Extract<ConfigResult, { readonly ok: true }>

/** A custom plugin for `createGateway`: the plugin, or the plugin with its place and options. */
export type GivenPlugin =
  | Plugin
  | {
      readonly plugin: Plugin
      /** Default: `prompt-sanitize`. */
      readonly after?: PluginPlace
      /** Whether the plugin sees the bearer token. Default: false. */
      readonly token?: boolean
      readonly options?: unknown
    }

/** Imports the modules of `plugins.custom` and checks their options. A file with a fault of its own loads no module. */
export async function loadPlugins(result: ConfigResult): Promise<LoadedResult> {
  return result.ok ? await loadWith(loadEntry, result) : result
}

/** Loads all plugins of a configuration with a function that loads one. */
export async function loadWith(load: typeof loadEntry, result: ValidConfig): Promise<LoadedResult> {
  const custom = [...(result.config.plugins.custom ?? []).entries()]
  const loaded = await Promise.all(custom.map((entry) => load(entry, result)))
  const faults = loaded.flatMap((each) => (Array.isArray(each) ? each : []))
  if (faults.length > 0) return { ok: false, faults: faults.toSorted(byPlace) }
  return { ...result, customPlugins: loaded.flatMap((each) => (Array.isArray(each) ? [] : [each])) }
}

/** The order of faults in a file. */
export const byPlace = (a: ConfigFault, b: ConfigFault) => a.line - b.line || a.column - b.column

/** Loads the plugin of one entry of `plugins.custom`, or finds its faults. */
export async function loadEntry(
  [index, entry]: readonly [index: number, entry: CustomPluginOptions],
  config: Pick<ValidConfig, 'file' | 'positionOf' | 'originOf' | 'modules'>,
): Promise<LoadedPlugin | ConfigFault[]> {
  const path: Path = ['plugins', 'custom', index]
  const faultAt = (key: Path, message: string): ConfigFault => ({
    file: config.file,
    ...config.positionOf([...path, ...key]),
    path: formatPath([...path, ...key]),
    message,
    kind: 'invalid',
  })
  const plugin = await importPlugin(entry.module, config.modules?.[entry.module])
  if (typeof plugin === 'string') return [faultAt(['module'], plugin)]
  if (plugin.name !== entry.name)
    return [faultAt(['name'], `differs from the name in its module, ${quote(plugin.name)}`)]
  const { after, token, options } = entry
  const originOf = (inner: Path) => config.originOf([...path, 'options', ...inner])
  const checked = await checkOptions(plugin.options, { options, originOf })
  if ('issues' in checked)
    return checked.issues.map((issue) => faultAt(['options', ...issue.path], issue.message))
  const place = formatFaults([faultAt([], '')]).replace(/: $/, '')
  return { plugin, after, token, options: checked.value, entry, place }
}

/** The module's plugin, or the reason why there is none. */
async function importPlugin(file: string, pinned: string | undefined): Promise<Plugin | string> {
  try {
    const text = pinned ?? (await readFile(file, 'utf8'))
    const { plugin } = await inTime(importModule(file, text))
    if (plugin === undefined) return 'exports no `plugin`; write: export const plugin = definePlugin({ … })'
    return readPlugin(plugin) ?? 'exports a `plugin` that definePlugin has not made'
  } catch (error) {
    return isMissing(error, file) ? 'there is no such file' : `cannot be loaded: ${reasonOf(error)}`
  }
}

/**
 * Judged by its form: a module may have another copy of this package than the gateway. The copy is taken once, because a
 * getter could give another value later.
 */
function readPlugin(value: unknown): Plugin | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, create, options }: Partial<Record<keyof Plugin, unknown>> = value
  if (typeof name !== 'string' || typeof create !== 'function') return undefined
  if (options !== undefined && !isSchema(options)) return undefined
  return { name, options, create: (checked, context) => create.call(value, checked, context) }
}

/** Checks the plugins that a program gives to `createGateway`; throws an `InitialisationError` that names all faults. */
export function checkGivenPlugins(given: readonly GivenPlugin[]): LoadedPlugin[] {
  if (!Array.isArray(given))
    throw new InitialisationError('createGateway: plugins: expected a list', { located: true })
  const faults: string[] = []
  const loaded = given.flatMap((entry, index) => {
    const { plugin: wanted, after = 'prompt-sanitize', token = false, options = {}, ...rest } = asEntry(entry)
    const place = `createGateway: plugins[${index}]`
    const plugin = readPlugin(wanted)
    if (plugin === undefined) {
      faults.push(`${place}: is not made by definePlugin`)
      return []
    }
    const named = `${place} (${shorten(plugin.name)})`
    const nameFault = checkPluginName(plugin.name)
    if (nameFault !== undefined) faults.push(`${place}: the name ${quote(plugin.name)} ${nameFault}`)
    if (!customPlaces.includes(after))
      faults.push(`${named}: after: expected one of ${customPlaces.join(', ')}`)
    if (typeof token !== 'boolean') faults.push(`${named}: token: expected true or false`)
    for (const key of Object.keys(rest)) faults.push(`${named}: unknown key ${quote(key)}`)
    const checked = checkOptionsAtOnce(plugin.options, options)
    if ('value' in checked) return [{ plugin, after, token, options: checked.value, place: named }]
    for (const { path, message } of checked.issues)
      faults.push(`${named}: ${formatPath(['options', ...path])}: ${shorten(message)}`)
    return []
  })
  if (faults.length > 0) throw new InitialisationError(faults.join('\n'), { located: true })
  return loaded
}

function asEntry(entry: GivenPlugin): Exclude<GivenPlugin, Plugin> {
  return typeof entry === 'object' && entry !== null && 'plugin' in entry ? entry : { plugin: entry }
}

function isMissing(error: unknown, file: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ENOENT' &&
    'path' in error &&
    error.path === file
  )
}
