import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { checkRules } from './check-rules.ts'
import { checkSchema, PARSE_OPTIONS } from './check-schema.ts'
import {
  type CustomPluginOptions,
  configSchema,
  type GatewayConfig,
  type IssuerOptions,
  type OtelAuditOptions,
  type PromptSanitizeOptions,
} from './config-schema.ts'
import { entriesAt, valueAt } from './draft.ts'
import {
  type ConfigFault,
  createLineIndex,
  type Finding,
  formatPath,
  type Path,
  type Position,
} from './faults.ts'
import { plainSecrets, type SecretSource } from './plain-secrets.ts'
import { type KeySchema, mapLeaves, schemaAt } from './schema/marks.ts'
import { customPlugin, issuer, pluginsSection } from './schema/plugin-sections.ts'
import type { Environment } from './source/interpolation.ts'
import { readYaml } from './source/read-yaml.ts'
import { buildSourceTree, nodeAt, placeAt, type SourceNode, UNRESOLVED } from './source/source-tree.ts'
import { unsaidForwarding } from './unsaid-forwarding.ts'
import { type ConfigWarning, type Unwise, warningsOf } from './warnings.ts'

/** A valid configuration with its warnings, or all its faults. */
export type ConfigResult =
  | {
      readonly ok: true
      readonly config: GatewayConfig
      /** The name of the file, as in its faults. */
      readonly file: string
      /** The text of the file. */
      readonly text: string
      /** The texts of its module files by name, where they were read before: all workers run the same ones. */
      readonly modules?: Readonly<Record<string, string>> | undefined
      /** The files that a start reads. */
      readonly files: readonly NamedFile[]
      readonly warnings: readonly ConfigWarning[]
      /** The place of a value in the file; for a missing one, the place of the nearest key above it. */
      readonly positionOf: (path: Path) => Position
      /** How the scalar at a path was written; `undefined` for maps, lists and missing values. */
      readonly originOf: (path: Path) => ScalarOrigin | undefined
    }
  | {
      readonly ok: false
      readonly faults: readonly ConfigFault[]
      /** The valid entries of a refused file that name files, so that faults of those are found at once too. */
      readonly sound?: SoundEntries | undefined
    }

/** The entries and sections of a refused file that are valid by themselves, entries with their index, and their places. */
export interface SoundEntries extends Pick<ValidConfig, 'file' | 'positionOf' | 'originOf'> {
  readonly custom: readonly (readonly [index: number, entry: CustomPluginOptions])[]
  readonly issuers: readonly (readonly [index: number, issuer: IssuerOptions])[]
  readonly audit: OtelAuditOptions | undefined
  readonly sanitize: PromptSanitizeOptions | undefined
  /** The files of these entries that a start reads. */
  readonly files: readonly NamedFile[]
}

/** A file that the configuration names. */
export interface NamedFile {
  /** Its key. */
  readonly path: Path
  /** Its absolute name. */
  readonly name: string
}

type ValidConfig = Extract<ConfigResult, { readonly ok: true }>

/** How a scalar was written in the file. */
export interface ScalarOrigin {
  /** The environment variables in it; such a value is never shown. */
  readonly variables: readonly string[]
  /** Its text, when a reference was read as a number, a boolean or null. */
  readonly text: string | undefined
}

/** The origin of a configuration text. */
export interface ParseOptions {
  /** The name in faults; its folder is the base of relative file names in the configuration. */
  readonly file: string
  readonly env: Environment
}

/** Largest configuration file, in bytes. */
export const MAX_FILE_BYTES = 1_048_576
/** Most listed faults; further ones are only counted, and rules across keys are not checked. */
export const MAX_FAULTS = 1000
/** The fault of a larger file. */
export const TOO_LARGE = `the file is larger than ${MAX_FILE_BYTES} bytes`

/** Reads a configuration from YAML text; never throws. */
export const parseConfig = (text: string, { file, env }: ParseOptions): ConfigResult => {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return refuse(file, TOO_LARGE)
  const source = text.replace(/^\uFEFF/, '')
  const positionOf = createLineIndex(source)
  const { config, origin, findings } = judge(source, env, positionOf)
  const faults = toFaults(findings, file, positionOf)
  if (origin === undefined) return { ok: false, faults }
  const placeOf = (path: Path) => positionOf(placeAt(origin.root, path).offset)
  const places = {
    file,
    positionOf: placeOf,
    originOf: (path: Path) => originOf(nodeAt(origin.root, path)),
  }
  if (config === undefined || faults.length > 0)
    return { ok: false, faults, sound: { ...places, ...soundEntries(origin.value, file) } }
  const { section, files } = resolveFiles(config, { file })
  const frozen = deepFreeze<GatewayConfig>(section)
  const unwise = [
    ...warningsOf(frozen),
    ...unsaidForwarding(frozen, origin.value),
    ...plainSecrets({ ...origin, environment: env }),
  ]
  return {
    ok: true,
    ...places,
    config: frozen,
    files,
    text,
    warnings: toWarnings(unwise, file, placeOf),
  }
}

const soundEntries = (
  value: unknown,
  file: string,
): Omit<SoundEntries, 'file' | 'positionOf' | 'originOf'> => {
  const listed = (...path: Path) => entriesAt(value, path)
  const { 'otel-audit': otelAudit, 'prompt-sanitize': promptSanitize } = pluginsSection.shape
  const custom = soundAt(value, { file, paths: listed('plugins', 'custom'), schema: customPlugin })
  const issuerPaths = listed('plugins', 'token-validator', 'issuers')
  const issuers = soundAt(value, { file, paths: issuerPaths, schema: issuer })
  const audit = soundAt(value, { file, paths: [['plugins', 'otel-audit']], schema: otelAudit })
  const sanitize = soundAt(value, { file, paths: [['plugins', 'prompt-sanitize']], schema: promptSanitize })
  return {
    custom: custom.map(({ index, section }) => [index, section]),
    issuers: issuers.map(({ index, section }) => [index, section]),
    audit: audit[0]?.section,
    sanitize: sanitize[0]?.section,
    files: [...custom, ...issuers, ...audit].flatMap(({ files }) => files),
  }
}

const soundAt = <Section>(
  value: unknown,
  { file, paths, schema }: { file: string; paths: readonly Path[]; schema: z.ZodType<Section> },
) =>
  paths.flatMap((path, index) => {
    const { data } = schema.safeParse(valueAt(value, path), PARSE_OPTIONS)
    return data === undefined ? [] : [{ index, ...resolveFiles(data, { file, path, schema }) }]
  })

const originOf = (node: SourceNode | undefined): ScalarOrigin | undefined =>
  node?.kind === 'scalar' ? { variables: node.variables, text: node.textForm } : undefined

const toWarnings = (
  unwise: readonly Unwise[],
  file: string,
  placeOf: (path: Path) => Position,
): ConfigWarning[] =>
  unwise
    .map(({ id, path, message }) => ({ id, file, ...placeOf(path), path: formatPath(path), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)

/** The result for a file that is refused as a whole. */
export const refuse = (file: string, message: string): ConfigResult => ({
  ok: false,
  faults: [{ file, line: 1, column: 1, path: '', message, kind: 'invalid' }],
})

interface Judgement {
  readonly config?: GatewayConfig | undefined
  /** The tree and the plain values of the file. */
  readonly origin?: Pick<SecretSource, 'root' | 'value'>
  readonly findings: readonly Finding[]
}

const judge = (
  text: string,
  environment: Environment,
  positionOf: (offset: number) => Position,
): Judgement => {
  const { document, syntax, strays } = readYaml(text)
  if (document === undefined) return { findings: [...syntax, ...strays] }
  const { root, findings: tree } = buildSourceTree(document, { environment, positionOf })
  if (root === undefined) return { findings: tree }
  if (isEmpty(root)) return { findings: [...syntax, ...strays, ...trustworthy([EMPTY_FILE], syntax)] }
  const schema = checkSchema(root)
  const isMeant = ({ path }: Finding) => !isUnresolved(root, path)
  const own = trustworthy([...tree, ...schema.findings.filter(isMeant)], syntax)
  // Nobody reads on after so many faults, and a file of nothing else is refused in half the time.
  const rules = own.length > MAX_FAULTS ? [] : checkRules({ root, value: schema.value, positionOf })
  const findings = [...syntax, ...strays, ...own, ...trustworthy(rules.filter(isMeant), syntax)]
  return { config: schema.config, origin: { root, value: schema.value }, findings }
}

const EMPTY_FILE: Finding = { offset: 0, end: 0, path: [], message: 'the file is empty', absence: true }

const isEmpty = (root: SourceNode): boolean => root.kind === 'scalar' && root.value === null

/** An unresolved reference is already a fault; the schema's fault about it would be a repetition. */
const isUnresolved = (root: SourceNode, path: Finding['path']): boolean => {
  const node = nodeAt(root, path)
  return node?.kind === 'scalar' && node.value === UNRESOLVED
}

/** Drops findings after the first syntax fault: the text there is misread, and a missing key may be in it. */
const trustworthy = (findings: readonly Finding[], syntax: readonly Finding[]): readonly Finding[] => {
  const broken = syntax.reduce((first, { offset }) => Math.min(first, offset), Number.POSITIVE_INFINITY)
  if (broken === Number.POSITIVE_INFINITY) return findings
  return findings.filter(({ end, absence }) => end < broken && absence !== true)
}

const toFaults = (
  findings: readonly Finding[],
  file: string,
  positionOf: (offset: number) => Position,
): ConfigFault[] => {
  const sorted = findings.toSorted((a, b) => a.offset - b.offset)
  const shown = sorted.length > MAX_FAULTS ? [...sorted.slice(0, MAX_FAULTS), remainder(sorted)] : sorted
  const faults = shown.map(({ offset, path, message, kind = 'invalid' }) => ({
    file,
    ...positionOf(offset),
    path: formatPath(path),
    message,
    kind,
  }))
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}

const remainder = (sorted: readonly Finding[]): Finding => {
  const offset = sorted[MAX_FAULTS]?.offset ?? 0
  return {
    offset,
    end: offset,
    path: [],
    message: `and ${sorted.length - MAX_FAULTS} more faults from here on`,
  }
}

/** A copy of a section with absolute file names, and those names. The base is the folder of the configuration file. */
export const resolveFiles = <Section>(
  section: Section,
  { file, path = [], schema = schemaAt(configSchema, path) }: SectionSource,
): { readonly section: Section; readonly files: readonly NamedFile[] } => {
  const files: NamedFile[] = []
  const resolved = mapLeaves(section, { schema, path }, ({ path, value, mark }) => {
    if (mark?.type !== 'file' || typeof value !== 'string' || mark.words.includes(value)) return value
    const name = resolve(dirname(file), value)
    if (mark.use === 'read') files.push({ path, name })
    return name
  })
  return { section: resolved, files }
}

interface SectionSource {
  /** The configuration file. */
  readonly file: string
  readonly path?: Path
  readonly schema?: KeySchema | undefined
}

/** Freezes a tree of plain objects and lists: a request keeps the configuration it started with. */
const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}
