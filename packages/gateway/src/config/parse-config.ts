import { checkRules } from './check-rules.ts'
import { checkSchema } from './check-schema.ts'
import type { GatewayConfig } from './config-schema.ts'
import { deepFreeze } from './deep-freeze.ts'
import { type ConfigFault, formatPath, type Path } from './faults.ts'
import { plainSecrets, type SecretSource } from './plain-secrets.ts'
import { resolveFiles } from './resolve-files.ts'
import { buildSourceTree } from './source/build-source-tree.ts'
import type { Finding } from './source/finding.ts'
import type { Environment } from './source/interpolation.ts'
import { createLineIndex, type Position } from './source/line-index.ts'
import { readYaml } from './source/read-yaml.ts'
import { nodeAt, placeAt, type SourceNode, UNRESOLVED } from './source/source-node.ts'
import { type ConfigWarning, type Unwise, warningsOf } from './warnings.ts'

/** A configuration that is valid, or everything that is wrong with it. A gateway that is given the warnings tells them. */
export type ConfigResult =
  | {
      readonly ok: true
      readonly config: GatewayConfig
      /** What it was read from. */
      readonly text: string
      readonly warnings: readonly ConfigWarning[]
      /** Where the value at a path stands in the file, or the nearest key above it. */
      readonly positionOf: (path: Path) => Position
    }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] }

/** Where a configuration text comes from. */
export interface ParseOptions {
  /** Named in faults; relative file names in the configuration start from its folder. */
  readonly file: string
  readonly env: Environment
}

/** Largest configuration file, in bytes. */
export const MAX_FILE_BYTES = 1_048_576
/** Most faults that are listed; what follows them is only counted. */
export const MAX_FAULTS = 1000
/** The fault of a larger file. */
export const TOO_LARGE = `the file is larger than ${MAX_FILE_BYTES} bytes`

/** Reads a configuration from YAML text; never throws, whatever the text. */
export const parseConfig = (text: string, { file, env }: ParseOptions): ConfigResult => {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return refuse(file, TOO_LARGE)
  const source = text.replace(/^\uFEFF/, '')
  const positionOf = createLineIndex(source)
  const { config, origin, findings } = judge(source, env, positionOf)
  if (config === undefined || origin === undefined || findings.length > 0)
    return { ok: false, faults: toFaults(findings, file, positionOf) }
  const frozen = deepFreeze(resolveFiles(config, file))
  const placeOf = (path: Path) => positionOf(placeAt(origin.root, path).offset)
  const unwise = [...warningsOf(frozen), ...plainSecrets({ ...origin, environment: env })]
  return { ok: true, config: frozen, text, positionOf: placeOf, warnings: toWarnings(unwise, file, placeOf) }
}

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
  /** The file that the configuration was read from. */
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
  const rules = checkRules({ root, value: schema.value, positionOf })
  const meaning = [...schema.findings, ...rules].filter(({ path }) => !isUnresolved(root, path))
  const findings = [...syntax, ...strays, ...trustworthy([...tree, ...meaning], syntax)]
  return { config: schema.config, origin: { root, value: schema.value }, findings }
}

const EMPTY_FILE: Finding = { offset: 0, end: 0, path: [], message: 'the file is empty', absence: true }

const isEmpty = (root: SourceNode): boolean => root.kind === 'scalar' && root.value === null

/** An unresolved reference is a fault of its own; what the schema makes of it would only repeat it. */
const isUnresolved = (root: SourceNode, path: Finding['path']): boolean => {
  const node = nodeAt(root, path)
  return node?.kind === 'scalar' && node.value === UNRESOLVED
}

/** Behind a syntax fault nothing can be believed, and nothing that seems absent is known to be. */
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
