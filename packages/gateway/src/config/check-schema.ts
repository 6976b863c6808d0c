import type { z } from 'zod'
import { configSchema } from './config-schema.ts'
import { didYouMean } from './did-you-mean.ts'
import { type Finding, type Path, quote } from './faults.ts'
import { configJsonSchema, type JsonSchema } from './json-schema.ts'
import { isSecretAt } from './schema/marks.ts'
import {
  keyPlaceAt,
  nodeAt,
  parentPlaceAt,
  type ScalarNode,
  type SourceNode,
  toValue,
  valuePlaceAt,
} from './source/source-tree.ts'

type Issue = z.core.$ZodIssue

/** The file's plain values, with the configuration of a valid file or the faults of an invalid one. */
export interface SchemaResult {
  readonly value: unknown
  readonly config?: z.output<typeof configSchema>
  readonly findings: readonly Finding[]
}

/** Validates the tree against the schema. */
export const checkSchema = (root: SourceNode): SchemaResult => {
  const first = parse(root, new Set())
  const otherForm = referencesToReadAgain(root, first.issues)
  const { value, data, issues } = otherForm.size === 0 ? first : parse(root, otherForm)
  if (data !== undefined) return { value, config: data, findings: [] }
  const describe = describeIssues(root)
  return { value, findings: issues.flatMap(describe) }
}

/** A file is read once: compiling functions for it takes longer than reading it without them. */
export const PARSE_OPTIONS = { jitless: true }

const parse = (root: SourceNode, otherForm: ReadonlySet<SourceNode>) => {
  const value = toValue(root, otherForm)
  const { data, error } = configSchema.safeParse(value, PARSE_OPTIONS)
  return { value, data, issues: error?.issues ?? [] }
}

/**
 * Finds the references whose value has the wrong type and another form: a secret of digits where the schema wants a
 * text, and `"${PORT}"` in quotes where it wants a number.
 */
const referencesToReadAgain = (root: SourceNode, issues: readonly Issue[]): ReadonlySet<SourceNode> => {
  const found = new Set<SourceNode>()
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue
    const node = nodeAt(root, toPath(issue.path))
    if (node?.kind !== 'scalar') continue
    const other = issue.expected === 'string' ? node.textForm : node.plainForm
    if (other !== undefined) found.add(node)
  }
  return found
}

const toPath = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === 'number' ? step : String(step)))

const describeIssues = (root: SourceNode): ((issue: Issue) => Finding[]) => {
  let schema: JsonSchema | undefined
  return function describeIssue(issue): Finding[] {
    const path = toPath(issue.path)
    if (issue.code === 'unrecognized_keys') {
      schema ??= configJsonSchema()
      const known = knownKeys(schema, path)
      return issue.keys.map((key) => unknownKey(root, [...path, key], known))
    }
    if (issue.code === 'invalid_union') {
      const meant = meantBranch(issue)
      if (meant !== undefined)
        return meant.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }))
    }
    if (issue.code === 'invalid_key') return [wrongKey(root, path, issue)]
    return [wrongValue(root, path, issue)]
  }
}

/** The faults of the form that a value of several forms was meant to have: the one of the right type. */
const meantBranch = ({ errors }: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined =>
  errors.find((branch) => branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0))

/** The known keys of the map at a path, for "did you mean". */
const knownKeys = (schema: JsonSchema, path: Path): readonly string[] =>
  propertiesOf(path.reduce<JsonSchema | undefined>(schemaBelow, schema))

/** The schema of a key or an entry; of a value of several forms, in the first form that has it. */
const schemaBelow = (schema: JsonSchema | undefined, step: string | number): JsonSchema | undefined => {
  if (schema?.anyOf !== undefined)
    return schema.anyOf.map((form) => schemaBelow(form, step)).find((found) => found !== undefined)
  if (typeof step === 'number') return schema?.items
  const { properties, additionalProperties: others } = schema ?? {}
  return properties?.[step] ?? (typeof others === 'object' ? others : undefined)
}

/** The properties of a map; of a value of several forms, those of the form that is a map. */
const propertiesOf = (schema: JsonSchema | undefined): readonly string[] =>
  schema?.anyOf?.flatMap(propertiesOf) ?? Object.keys(schema?.properties ?? {})

const unknownKey = (root: SourceNode, path: Path, known: readonly string[]): Finding => {
  const key = String(path.at(-1))
  const place = keyPlaceAt(root, path) ?? parentPlaceAt(root, path)
  // "hs256_secret:abc" without a space is one key. The text after the colon may be a secret and is not shown.
  const [name = '', rest] = key.split(':', 2)
  if (rest !== undefined) {
    const shown = `${name}:…`
    return {
      ...range(place),
      path: [...path.slice(0, -1), shown],
      message: `unknown key ${quote(shown)}, a colon needs a blank after it`,
    }
  }
  return { ...range(place), path, message: `unknown key ${quote(key)}${didYouMean(key, known)}` }
}

const wrongKey = (root: SourceNode, path: Path, issue: z.core.$ZodIssueInvalidKey): Finding => {
  const { code, message } = issue.issues[0] ?? issue
  return {
    ...range(keyPlaceAt(root, path) ?? parentPlaceAt(root, path)),
    path,
    message: code === 'custom' ? message : `${message} as the key, got ${quote(String(path.at(-1)))}`,
  }
}

const wrongValue = (root: SourceNode, path: Path, issue: Issue): Finding => {
  const node = nodeAt(root, path)
  const place = node === undefined ? undefined : valuePlaceAt(root, path)
  if (node === undefined || place === undefined) {
    return { ...range(parentPlaceAt(root, path)), path, message: issue.message, absence: true }
  }
  const message =
    issue.code === 'custom'
      ? issue.message
      : `${issue.message}${got(node, path)}${suggestion(node, path, issue)}`
  // `key:` without a value: a syntax fault may have cut the value off.
  return { ...range(place), path, message, absence: node.offset === node.end }
}

const range = ({ offset, end }: { offset: number; end: number }) => ({ offset, end })

/** Whether the value at a path may appear in a message: not a secret, and not from the environment. */
export const isShowable = (node: SourceNode | undefined, path: Path): boolean =>
  !isSecretAt(configSchema, path) && (node?.kind !== 'scalar' || node.variables.length === 0)

const got = (node: SourceNode, path: Path): string => {
  if (node.kind === 'map') return ', got a map'
  if (node.kind === 'list') return node.items.length === 0 ? ', got an empty list' : ', got a list'
  if (isShowable(node, path)) return `, got ${showScalar(node.value)}`
  return node.variables.length === 0 ? '' : originOf(node)
}

const showScalar = (value: unknown): string => {
  if (value === null) return 'nothing'
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Names the variables instead of their values. */
const originOf = ({ variables }: ScalarNode): string =>
  `, got the value of ${variables.map((name) => `\${${name}}`).join(' and ')}`

const suggestion = (node: SourceNode, path: Path, issue: Issue): string => {
  if (issue.code !== 'invalid_value' || node.kind !== 'scalar' || !isShowable(node, path)) return ''
  return didYouMean(String(node.value), issue.values.map(String))
}
