import { printable } from '@agentic-rest/profile'
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml'
import { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import { type Environment, fillReferences } from './fill-references.ts'
import { NO_TOKEN, type Scenario, scenarioSchema } from './scenario-schema.ts'

/** One fault of a scenario file. Line and column start at 1. */
export interface ScenarioFault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The key, for example `outcomes.conflict.request`; empty for the whole file. */
  readonly path: string
  readonly message: string
}

/** A valid scenario, or all its faults. */
export type ScenarioResult =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly faults: readonly ScenarioFault[] }

/** A fault without its line. */
interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The fault is at the key, not at its value. */
  readonly atKey?: boolean
  readonly offset?: number
}

const MAX_LENGTH = 1_048_576
const MAX_ALIASES = 100

/** Parses a scenario in YAML. It never throws. */
export function parseScenario(
  text: string,
  { file, env }: { readonly file: string; readonly env: Environment },
): ScenarioResult {
  if (text.length > MAX_LENGTH) return refuse(file, `the file is longer than ${MAX_LENGTH} characters`)
  try {
    return judge(text, { file, env })
  } catch {
    // The library is recursive and throws for alias bombs.
    return refuse(file, 'the file is nested too deeply, or its aliases stand for too much')
  }
}

/** The result for a file that is refused as a whole. */
function refuse(file: string, message: string): ScenarioResult {
  return { ok: false, faults: [{ file, line: 1, column: 1, path: '', message }] }
}

/** Formats faults as compilers do, one per line. */
export function formatScenarioFaults(faults: readonly ScenarioFault[]): string {
  return faults.map(formatFault).join('\n')
}

function formatFault({ file, line, column, path, message }: ScenarioFault): string {
  return `${printable(file)}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`
}

function judge(text: string, { file, env }: { file: string; env: Environment }): ScenarioResult {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  // After the first syntax error the others are consequences of it.
  const syntax = document.errors.slice(0, 1).map(({ code, pos: [offset] }) => ({
    path: [],
    message: code === 'DUPLICATE_KEY' ? 'the same key is given twice' : 'not valid YAML here',
    offset,
  }))
  const findings = syntax.length > 0 ? syntax : fill(document, env)
  const meaning =
    findings.length > 0 ? { findings } : understand(document.toJS({ maxAliasCount: MAX_ALIASES }))
  if ('scenario' in meaning) return { ok: true, scenario: meaning.scenario }
  const faults = meaning.findings.map((finding) => place(finding, { document, lines, file }))
  return { ok: false, faults: faults.toSorted((a, b) => a.line - b.line || a.column - b.column) }
}

function fill(document: Document.Parsed, env: Environment): Finding[] {
  const findings: Finding[] = []
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return
      const { text, faults } = fillReferences(node.value, env)
      node.value = text
      for (const message of faults)
        findings.push({ path: [], message: printable(message), offset: startOf(node) })
    },
  })
  return findings
}

function understand(value: unknown): { scenario: Scenario } | { findings: readonly Finding[] } {
  const { data, error } = scenarioSchema.safeParse(value ?? {}, { error: wordIssue })
  if (data === undefined) return { findings: (error?.issues ?? []).flatMap(toFindings) }
  const findings = checkNames(data)
  return findings.length > 0 ? { findings } : { scenario: data }
}

function toFindings(issue: z.core.$ZodIssue): Finding[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
  const known = keysAt(issue.path)
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: `unknown key${didYouMean(key, known)}`,
    atKey: true,
  }))
}

/** The message of an issue. It never repeats a value, which may be a secret. */
function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${names.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return undefined
  }
}

const names = new Map<string, string>([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a map'],
  ['record', 'a map'],
])

interface Source {
  readonly document: Document.Parsed
  readonly lines: LineCounter
  readonly file: string
}

function place({ path, message, atKey, offset }: Finding, { document, lines, file }: Source): ScenarioFault {
  const at = offset ?? offsetOf(document, path, atKey === true)
  const { line, col } = lines.linePos(at)
  return { file, line: Math.max(line, 1), column: Math.max(col, 1), path: formatPath(path), message }
}

/** The position of a key or value; for a missing one, that of its nearest parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[], atKey: boolean): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const name = path[length - 1]
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))
      : undefined
    const value = document.getIn(path.slice(0, length), true)
    const wanted = atKey && length === path.length ? pair?.key : (value ?? pair?.key)
    if (isNode(wanted)) return startOf(wanted)
  }
  return 0
}

function startOf(node: unknown): number {
  return (node as Partial<ParsedNode>).range?.[0] ?? 0
}

function formatPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${printable(String(step))}`))
  return steps.join('').replace(/^\./, '')
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** The allowed keys at a path of a scenario. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let at: readonly Schema[] = [z.toJSONSchema(scenarioSchema, { io: 'input' }) as Schema]
  for (const step of path) at = at.flatMap((schema) => below(schema, step))
  return at.flatMap(variants).flatMap(({ properties }) => Object.keys(properties ?? {}))
}

function below(schema: Schema, step: PropertyKey): Schema[] {
  return variants(schema).flatMap(({ items, properties, additionalProperties: other }) => {
    const found =
      typeof step === 'number'
        ? items
        : (properties?.[String(step)] ?? (typeof other === 'object' ? other : undefined))
    return found === undefined ? [] : [found]
  })
}

function variants(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? [schema]
}

/** Checks that every used token and service is declared. */
function checkNames(scenario: Scenario): Finding[] {
  const tokens = Object.keys(scenario.tokens ?? {})
  const known = new Map([
    ['token', [...tokens, NO_TOKEN]],
    ['service', Object.keys(scenario.services ?? {})],
  ])
  const { tokens: _, services: __, ...rest } = scenario
  return wrongNames(rest, [], known)
}

// In bodies and headers a member named "token" has no meaning.
const opaque = ['body', 'headers']

function wrongNames(
  value: unknown,
  path: readonly PropertyKey[],
  known: ReadonlyMap<string, readonly string[]>,
): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => wrongNames(item, [...path, index], known))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => {
    if (opaque.includes(key)) return []
    const names = known.get(key)
    if (names === undefined || typeof child !== 'string') return wrongNames(child, [...path, key], known)
    if (names.includes(child)) return []
    const message = `there is no ${key} of that name in ${key}s${didYouMean(child, names)}`
    return [{ path: [...path, key], message }]
  })
}
