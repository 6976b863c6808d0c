import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Path, quote } from '../../config/faults.ts'
import type { ScalarOrigin } from '../../config/parse-config.ts'
import { handleRejection, inTime, isThenable, reasonOf, shorten } from './plugin-errors.ts'

/** A fault of the options, at its path in them. */
export interface OptionIssue {
  readonly path: Path
  readonly message: string
}

/** The output of a schema, or its issues. */
export type CheckedOptions = { readonly value: unknown } | { readonly issues: readonly OptionIssue[] }

/** The options of a file, and how each scalar in them was written. */
export interface FileOptions {
  readonly options: unknown
  readonly originOf: (path: Path) => ScalarOrigin | undefined
}

/** Whether a value is a Standard Schema. */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  // The schemas of arktype are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { '~standard': standard }: { readonly '~standard'?: { readonly validate?: unknown } } = value
  return typeof standard?.validate === 'function'
}

/** Checks the options of a file. A schema may take its time; no message shows a value of the environment. */
export async function checkOptions(
  schema: StandardSchemaV1 | undefined,
  file: FileOptions,
): Promise<CheckedOptions> {
  if (schema === undefined) return refuseOptions(file.options)
  const first = await validate(schema, structuredClone(file.options))
  if ('value' in first) return first
  const second = await validateTexts(schema, file, first.issues)
  if (second !== undefined && 'value' in second) return second
  const hide = valueHider(file)
  const issues = second?.issues ?? first.issues
  return { issues: issues.map((issue) => ({ ...issue, message: shorten(hide(issue)) })) }
}

/** Checks options that a program gives, where nothing can wait for a promise. */
export function checkOptionsAtOnce(schema: StandardSchemaV1 | undefined, options: unknown): CheckedOptions {
  if (schema === undefined) return refuseOptions(options)
  try {
    const result = schema['~standard'].validate(options)
    if (!isThenable(result)) return readResult(result)
    handleRejection(result)
    return whole('the schema answers with a promise, which only a file can wait for')
  } catch (error) {
    return schemaFailed(error)
  }
}

function refuseOptions(options: unknown): CheckedOptions {
  const keys = Object.keys(options ?? {})
  if (keys.length === 0) return { value: undefined }
  return { issues: keys.map((key) => ({ path: [key], message: 'is unknown: the plugin takes no options' })) }
}

async function validate(schema: StandardSchemaV1, value: unknown): Promise<CheckedOptions> {
  try {
    return readResult(await inTime(schema['~standard'].validate(value)))
  } catch (error) {
    return schemaFailed(error)
  }
}

function schemaFailed(error: unknown): CheckedOptions {
  return whole(`the schema of the plugin failed: ${reasonOf(error)}`)
}

function whole(message: string): CheckedOptions {
  return { issues: [{ path: [], message }] }
}

function readResult(result: StandardSchemaV1.Result<unknown>): CheckedOptions {
  if (result.issues === undefined) return { value: result.value }
  return { issues: result.issues.flatMap(readIssue) }
}

function readIssue(issue: StandardSchemaV1.Issue): OptionIssue[] {
  const path = (issue.path ?? []).map((step) => toStep(typeof step === 'object' ? step.key : step))
  const message = String(issue.message)
  // zod names the unknown keys of a map beside the path of the map.
  const { keys }: { readonly keys?: unknown } = issue as object
  if (!Array.isArray(keys) || !message.startsWith('Unrecognized key')) return [{ path, message }]
  return keys.map((key) => ({ path: [...path, String(key)], message: `unknown key ${quote(String(key))}` }))
}

const toStep = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/**
 * Tries values of the environment as texts: a secret of digits is read as a number, and may be wanted as a text. The
 * result counts when it is better than the first one.
 */
async function validateTexts(
  schema: StandardSchemaV1,
  { options, originOf }: FileOptions,
  issues: readonly OptionIssue[],
): Promise<CheckedOptions | undefined> {
  const texts = issues.flatMap(({ path }) => {
    const text = originOf(path)?.text
    return text === undefined ? [] : [{ path, text }]
  })
  if (texts.length === 0) return undefined
  const value: unknown = structuredClone(options)
  for (const { path, text } of texts) setAt(value, path, text)
  const result = await validate(schema, value)
  return 'value' in result || result.issues.length < issues.length ? result : undefined
}

function setAt(root: unknown, path: Path, value: unknown): void {
  const parent = path.slice(0, -1).reduce((at, step) => (at as Record<string, unknown>)[step], root)
  ;(parent as Record<string, unknown>)[String(path.at(-1))] = value
}

/** Shorter values are in many messages by chance, and are no secrets. */
const SHORTEST_SECRET = 4

/** A library may repeat values in its messages, also those below the path of the issue. */
function valueHider({ options, originOf }: FileOptions): (issue: OptionIssue) => string {
  const secrets = scalarsOf(options, [])
    .map(({ path, value }) => ({ text: String(value), names: originOf(path)?.variables ?? [] }))
    .filter(({ text, names }) => names.length > 0 && text.length >= SHORTEST_SECRET)
  return function hide({ path, message }) {
    const own = originOf(path)?.variables ?? []
    const shown = secrets.filter(({ text }) => message.includes(text) || message.includes(escaped(text)))
    const names = new Set([...own, ...shown.flatMap((secret) => secret.names)])
    if (names.size === 0) return message
    return `is not valid, got the value of ${[...names].map((name) => `\${${name}}`).join(' and ')}`
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

interface Scalar {
  readonly path: Path
  readonly value: unknown
}

function scalarsOf(value: unknown, path: Path): Scalar[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([key, item]) =>
    scalarsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}
