import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  Schema,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type Path, printable, quote } from '../faults.ts'
import type { Finding } from './finding.ts'
import { type Environment, interpolate, isOneReference } from './interpolation.ts'
import type { Position } from './line-index.ts'
import { MAX_DEPTH } from './read-yaml.ts'
import {
  type Entry,
  type ListNode,
  type MapNode,
  type Place,
  type ScalarNode,
  type SourceNode,
  UNRESOLVED,
} from './source-node.ts'

/** Most aliases in one file. */
export const MAX_ALIASES = 100
/** Most values a file may stand for once its aliases are replaced by what they refer to. */
export const MAX_VALUES = 200_000

/** What is needed to build a tree. */
export interface TreeOptions {
  readonly environment: Environment
  readonly positionOf: (offset: number) => Position
}

interface Build extends TreeOptions {
  readonly findings: Finding[]
  readonly anchors: Map<string, SourceNode>
  readonly schema: Schema
  aliases: number
  values: number
  /** Set when the file is a bomb: nothing else about it matters. */
  refusal: Finding | undefined
}

/** The document as a tree of places and values, references filled in, with the faults found on the way. */
export const buildSourceTree = (
  document: Document.Parsed,
  options: TreeOptions,
): { root?: SourceNode; findings: readonly Finding[] } => {
  const build: Build = {
    ...options,
    findings: [],
    anchors: new Map(),
    schema: new Schema({ schema: 'core' }),
    aliases: 0,
    values: 0,
    refusal: undefined,
  }
  const root = buildNode(build, document.contents, [])
  return build.refusal === undefined ? { root, findings: build.findings } : { findings: [build.refusal] }
}

const buildNode = (build: Build, node: unknown, path: Path): SourceNode => {
  if (isAlias(node)) return followAlias(build, node.source, { ...placeOf(node), path })
  build.values += 1
  const built = buildOwn(build, node, path)
  if (built.depth > MAX_DEPTH)
    refuse(build, built, `nesting is deeper than ${MAX_DEPTH} levels, aliases included`)
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
  if (anchor !== undefined) build.anchors.set(anchor, built)
  return built
}

const buildOwn = (build: Build, node: unknown, path: Path): SourceNode => {
  if (isMap(node)) return buildMap(build, node, path)
  if (isSeq(node)) return buildList(build, node, path)
  return isScalar(node) ? buildScalar(build, node, path) : scalar({ offset: 0, end: 0 }, null)
}

/** An alias shares the node it refers to: a bomb costs one addition per alias and is refused before it expands. */
const followAlias = (build: Build, name: string, place: Place & { path: Path }): SourceNode => {
  const target = build.anchors.get(name)
  if (target === undefined) {
    build.findings.push({ ...place, message: 'alias without a complete anchor of that name before it' })
    return scalar(place, UNRESOLVED)
  }
  build.aliases += 1
  build.values += target.size
  if (build.aliases > MAX_ALIASES) refuse(build, place, `the file has more than ${MAX_ALIASES} aliases`)
  if (build.values > MAX_VALUES) refuse(build, place, `the aliases stand for more than ${MAX_VALUES} values`)
  return target
}

const refuse = (build: Build, { offset, end }: Place, message: string): void => {
  build.refusal ??= { offset, end, path: [], message }
}

const buildList = (build: Build, node: YAMLSeq, path: Path): ListNode => {
  const items = node.items.map((item, index) => buildNode(build, item, [...path, index]))
  return { kind: 'list', ...placeOf(node), ...extentOf(items), items }
}

const buildMap = (build: Build, node: YAMLMap, path: Path): MapNode => {
  const entries = new Map<string, Entry>()
  for (const { key, value } of node.items) {
    // A key that is no scalar is a syntax fault already.
    if (!isScalar(key)) continue
    const name = String(key.value)
    const place = placeOf(key)
    const message = faultOfKey(build, name, entries.get(name))
    if (message === undefined)
      entries.set(name, { ...place, value: buildNode(build, value, [...path, name]) })
    else build.findings.push({ ...place, path: [...path, name], message })
  }
  return {
    kind: 'map',
    ...placeOf(node),
    ...extentOf([...entries.values()].map(({ value }) => value)),
    entries,
  }
}

const faultOfKey = (build: Build, name: string, first: Entry | undefined): string | undefined => {
  // No section has this key, and a map that did could reach the prototype of every object.
  if (name === '__proto__') return 'unknown key "__proto__"'
  if (name === '<<') return 'merge keys are not supported, write the keys out'
  if (first === undefined) return undefined
  return `duplicate key ${quote(name)}, first given on line ${build.positionOf(first.offset).line}`
}

const buildScalar = (build: Build, node: Scalar, path: Path): ScalarNode => {
  const place = placeOf(node)
  if (typeof node.value !== 'string') return scalar(place, node.value)
  const { text, variables, faults } = interpolate(node.value, build.environment)
  for (const fault of faults) build.findings.push({ ...place, path, message: printable(fault) })
  if (faults.length > 0) return scalar(place, UNRESOLVED)
  const plain = node.type === 'PLAIN' && node.tag === undefined
  const base = { ...scalar(place, text), variables, quoted: !plain }
  if (!plain || !isOneReference(node.value)) return base
  return { ...base, value: readCoreScalar(build.schema, text), textForm: text }
}

const scalar = ({ offset, end }: Place, value: unknown): ScalarNode => ({
  kind: 'scalar',
  offset,
  end,
  size: 1,
  depth: 1,
  value,
  variables: [],
  quoted: false,
})

/** What the text would be as a plain YAML scalar, never more than a scalar; the empty text stays a text. */
const readCoreScalar = (schema: Schema, text: string): unknown => {
  if (text === '') return text
  for (const tag of schema.tags) {
    if (tag.default !== true || tag.collection !== undefined || !tag.test?.test(text)) continue
    return unwrap(tag.resolve(text, () => undefined, {}))
  }
  return text
}

const unwrap = (resolved: unknown): unknown => (isScalar(resolved) ? resolved.value : resolved)

const extentOf = (children: readonly SourceNode[]): { size: number; depth: number } => ({
  size: children.reduce((sum, { size }) => sum + size, 1),
  depth: children.reduce((deepest, { depth }) => Math.max(deepest, depth), 0) + 1,
})

const placeOf = ({ range }: { range?: readonly number[] | null | undefined }): Place => ({
  offset: range?.[0] ?? 0,
  end: range?.[1] ?? 0,
})
