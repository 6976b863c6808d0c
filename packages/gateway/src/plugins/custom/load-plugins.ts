import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CustomPluginOptions } from '../../config/config-schema.ts'
import {
  type ConfigFault,
  formatFaults,
  formatPath,
  type Path,
  printable,
  quote,
} from '../../config/faults.ts'
import type { ConfigResult } from '../../config/parse-config.ts'
import { checkPluginName, customPlaces } from '../../config/schema/plugin-sections.ts'
import { InitialisationError } from '../../errors.ts'
import type { Plugin } from './define-plugin.ts'

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

/** Bounds an import and a schema, which may wait for ever. */
const LOAD_MS = 10_000
const LONGEST_REASON = 300

/** Imports the modules of `plugins.custom` and checks their options. The start, every reload and `agentic check` use it. */
export async function loadPlugins(result: ConfigResult): Promise<LoadedResult> {
  if (!result.ok) return result
  const { custom = [] } = result.config.plugins
  const loaded = await Promise.all(custom.map((entry, index) => loadEntry(entry, index, result)))
  const faults = loaded.flatMap((each) => (Array.isArray(each) ? each : []))
  if (faults.length > 0) return { ok: false, faults: faults.toSorted(byPlace) }
  return { ...result, customPlugins: loaded.flatMap((each) => (Array.isArray(each) ? [] : [each])) }
}

const byPlace = (a: ConfigFault, b: ConfigFault) => a.line - b.line || a.column - b.column

async function loadEntry(
  entry: CustomPluginOptions,
  index: number,
  config: ValidConfig,
): Promise<LoadedPlugin | ConfigFault[]> {
  const path: Path = ['plugins', 'custom', index]
  const faultAt = (key: Path, message: string): ConfigFault => ({
    file: config.file,
    ...config.positionOf([...path, ...key]),
    path: formatPath([...path, ...key]),
    message,
    kind: 'invalid',
  })
  const plugin = await importPlugin(entry.module)
  if (typeof plugin === 'string') return [faultAt(['module'], plugin)]
  if (plugin.name !== entry.name)
    return [
      faultAt(['name'], `differs from the name in its module, ${printable(JSON.stringify(plugin.name))}`),
    ]
  const checked = await checkOptions(plugin, optionsReader(entry, [...path, 'options'], config))
  if ('issues' in checked) {
    return checked.issues.map(({ path: inner, message }) =>
      faultAt(['options', ...inner], hideVariables(message, config.originOf([...path, 'options', ...inner]))),
    )
  }
  const { after, token } = entry
  const place = formatFaults([faultAt([], '')]).replace(/: $/, '')
  return { plugin, after, token, options: checked.value, place }
}

/** The module's plugin, or the reason why there is none. */
async function importPlugin(file: string): Promise<Plugin | string> {
  try {
    // Node keeps every module it has imported. The digest makes a changed file another module, so that a reload uses it.
    const digest = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
      .slice(0, 16)
    const url = `${pathToFileURL(file).href}?digest=${digest}`
    const { plugin }: Readonly<Record<string, unknown>> = await within(LOAD_MS, import(url))
    if (plugin === undefined) return 'exports no `plugin`; write: export const plugin = definePlugin({ … })'
    return isPlugin(plugin) ? plugin : 'exports a `plugin` that definePlugin has not made'
  } catch (error) {
    return isMissing(error, file) ? 'there is no such file' : `cannot be loaded: ${reasonOf(error)}`
  }
}

/** Judged by its form: a module may have another copy of this package than the gateway. */
function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { name, create, options }: Partial<Record<keyof Plugin, unknown>> = value
  return (
    typeof name === 'string' && typeof create === 'function' && (options === undefined || isSchema(options))
  )
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  // The schemas of arktype are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: { readonly validate?: unknown } | undefined = (value as Partial<StandardSchemaV1>)[
    '~standard'
  ]
  return typeof standard?.validate === 'function'
}

interface OptionIssue {
  readonly path: Path
  readonly message: string
}

type CheckedOptions = { readonly value: unknown } | { readonly issues: readonly OptionIssue[] }

/** Gives the options as plain data; values at `asText` as the text that a `${VAR}` had before it was read as YAML. */
type ReadOptions = (asText: readonly Path[]) => { readonly value: unknown; readonly replaced: number }

function optionsReader(entry: CustomPluginOptions, path: Path, { originOf }: ValidConfig): ReadOptions {
  return function readOptions(asText) {
    // A copy: a schema may change its input, and the configuration is frozen and has maps without a prototype.
    const value: unknown = structuredClone(entry.options)
    const texts = asText.flatMap((inner) => {
      const text = originOf([...path, ...inner])?.text
      return text === undefined ? [] : [{ inner, text }]
    })
    for (const { inner, text } of texts) setAt(value, inner, text)
    return { value, replaced: texts.length }
  }
}

function setAt(root: unknown, path: Path, value: unknown): void {
  const parent = path.slice(0, -1).reduce((at, step) => (at as Record<string, unknown>)[step], root)
  ;(parent as Record<string, unknown>)[String(path.at(-1))] = value
}

async function checkOptions({ options: schema }: Plugin, read: ReadOptions): Promise<CheckedOptions> {
  if (schema === undefined) return refuseOptions(read([]).value)
  const first = await validate(schema, read([]).value)
  if ('value' in first) return first
  // A secret of digits in the environment is read as a number, and may be wanted as a text.
  const again = read(first.issues.map(({ path }) => path))
  if (again.replaced === 0) return first
  const second = await validate(schema, again.value)
  return 'value' in second || second.issues.length < first.issues.length ? second : first
}

function refuseOptions(value: unknown): CheckedOptions {
  const keys = Object.keys(value ?? {})
  if (keys.length === 0) return { value: undefined }
  return { issues: keys.map((key) => ({ path: [key], message: 'is unknown: the plugin takes no options' })) }
}

async function validate(schema: StandardSchemaV1, value: unknown): Promise<CheckedOptions> {
  try {
    return readResult(await within(LOAD_MS, schema['~standard'].validate(value)))
  } catch (error) {
    return { issues: [{ path: [], message: `the schema of the plugin failed: ${reasonOf(error)}` }] }
  }
}

function readResult(result: StandardSchemaV1.Result<unknown>): CheckedOptions {
  if (result.issues === undefined) return { value: result.value }
  return { issues: result.issues.flatMap(readIssue) }
}

function readIssue(issue: StandardSchemaV1.Issue): OptionIssue[] {
  const path = (issue.path ?? []).map((step) => toStep(typeof step === 'object' ? step.key : step))
  const message = shorten(String(issue.message))
  // zod names the unknown keys of a map beside the path of the map.
  const { keys }: { readonly keys?: unknown } = issue as object
  if (!Array.isArray(keys) || !message.startsWith('Unrecognized key')) return [{ path, message }]
  return keys.map((key) => ({ path: [...path, String(key)], message: `unknown key ${quote(String(key))}` }))
}

const toStep = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/** A library may repeat the value in its message; a value of the environment is never shown. */
function hideVariables(
  message: string,
  origin: { readonly variables: readonly string[] } | undefined,
): string {
  if (origin === undefined || origin.variables.length === 0) return message
  return `is not valid, got the value of ${origin.variables.map((name) => `\${${name}}`).join(' and ')}`
}

/** Checks the plugins that a program gives to `createGateway`; throws an `InitialisationError` that names all faults. */
export function checkGivenPlugins(given: readonly GivenPlugin[]): LoadedPlugin[] {
  const faults: string[] = []
  const loaded = given.flatMap((entry, index) => {
    const { plugin, after = 'prompt-sanitize', token = false, options = {}, ...rest } = asEntry(entry)
    const place = `createGateway: plugins[${index}]`
    if (!isPlugin(plugin)) {
      faults.push(`${place}: is not made by definePlugin`)
      return []
    }
    const named = `${place} (${printable(plugin.name)})`
    const nameFault = checkPluginName(plugin.name)
    if (nameFault !== undefined)
      faults.push(`${place}: the name ${printable(JSON.stringify(plugin.name))} ${nameFault}`)
    if (!customPlaces.includes(after))
      faults.push(`${named}: after: expected one of ${customPlaces.join(', ')}`)
    if (typeof token !== 'boolean') faults.push(`${named}: token: expected true or false`)
    for (const key of Object.keys(rest)) faults.push(`${named}: unknown key "${printable(key)}"`)
    const checked = checkAtOnce(plugin, options)
    if ('value' in checked) return [{ plugin, after, token, options: checked.value, place: named }]
    for (const { path, message } of checked.issues)
      faults.push(`${named}: ${formatPath(['options', ...path])}: ${message}`)
    return []
  })
  if (faults.length > 0) throw new InitialisationError(faults.join('\n'), { located: true })
  return loaded
}

function asEntry(entry: GivenPlugin): Exclude<GivenPlugin, Plugin> {
  return typeof entry === 'object' && entry !== null && 'plugin' in entry ? entry : { plugin: entry }
}

function checkAtOnce({ options: schema }: Plugin, options: unknown): CheckedOptions {
  if (schema === undefined) return refuseOptions(options)
  try {
    const result = schema['~standard'].validate(options)
    if (!(result instanceof Promise)) return readResult(result)
    result.catch(() => undefined)
    return {
      issues: [{ path: [], message: 'the schema answers with a promise, which only a file can wait for' }],
    }
  } catch (error) {
    return { issues: [{ path: [], message: `the schema of the plugin failed: ${reasonOf(error)}` }] }
  }
}

/** Rejects when a promise takes longer. */
async function within<T>(milliseconds: number, waiting: T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`took longer than ${milliseconds / 1000} seconds`)),
    milliseconds,
  )
  try {
    return await Promise.race([waiting, late])
  } finally {
    clearTimeout(timer)
  }
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

/** One line about an error of a plugin, without its stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error))
    return `it threw ${error === null ? 'null' : `a value of type ${typeof error}`}`
  try {
    const [line = ''] = String(error.message).split('\n')
    return shorten(error.name === 'Error' ? line : `${error.name}: ${line}`)
  } catch {
    return 'it threw an error whose message cannot be read'
  }
}

function shorten(text: string): string {
  return printable(text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text)
}
