import { MAX_JSON_DEPTH, printable } from '@agentic-rest/profile'
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
import { type Finding, type Path, type Position, quote } from '../faults.ts'
import { type Environment, interpolate, isOneReference } from './interpolation.ts'

/** A value of the file with its place in the text. */
export type SourceNode = ScalarNode | MapNode | ListNode

/** A stretch of the text. */
export interface Place {
  readonly offset: number
  readonly end: number
}

interface NodeBase extends Place {
  /** Number of values in this node, itself included, aliases expanded. */
  readonly size: number
  /** Levels of nesting, aliases expanded. */
  readonly depth: number
}

/** A text, number, boolean or null. */
export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar'
  readonly value: unknown
  /** The text of a reference whose value was read as a number, boolean or null. */
  readonly textForm?: string
  /** The number, boolean or null that the text of a reference in quotes could mean. */
  readonly plainForm?: unknown
  /** The variables in the value; a value with variables is never shown. */
  readonly variables: readonly string[]
}

/** A map; its entries keep the place of their key. */
export interface MapNode extends NodeBase {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, Entry>
}

/** A key with its place, and its value. */
export interface Entry extends Place {
  readonly value: SourceNode
}

/** A list. */
export interface ListNode extends NodeBase {
  readonly kind: 'list'
  readonly items: readonly SourceNode[]
}

/** The value of an unresolved reference: present, but already a fault. */
export const UNRESOLVED: unique symbol = Symbol('unresolved')

/** The node at a path, or undefined where the file has none. */
export const nodeAt = (root: SourceNode, path: Path): SourceNode | undefined => {
  let node: SourceNode | undefined = root
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(String(step))?.value
    else if (node?.kind === 'list') node = node.items[Number(step)]
    else return undefined
  }
  return node
}

/** The place of a map's key, or of a list's item. */
export const keyPlaceAt = (root: SourceNode, path: Path): Place | undefined => {
  const parent = path.length === 0 ? undefined : nodeAt(root, path.slice(0, -1))
  if (parent?.kind === 'map') return parent.entries.get(String(path.at(-1)))
  return nodeAt(root, path)
}

/** The place of the value at a path, or of its key when the value is empty. */
export const valuePlaceAt = (root: SourceNode, path: Path): Place | undefined => {
  const node = nodeAt(root, path)
  if (node === undefined || node.offset === node.end) return keyPlaceAt(root, path)
  return node
}

/** The place of the nearest existing key above a missing one. */
export const parentPlaceAt = (root: SourceNode, path: Path): Place => {
  for (let length = path.length - 1; length > 0; length--) {
    const place = keyPlaceAt(root, path.slice(0, length))
    if (place !== undefined) return place
  }
  return { offset: 0, end: 0 }
}

/** The place of the value at a path; for a missing one, of the nearest key above it. */
export const placeAt = (root: SourceNode, path: Path): Place =>
  valuePlaceAt(root, path) ?? parentPlaceAt(root, path)

/** The plain value of a node; scalars in `otherForm` give their other form. Maps have no prototype. */
export const toValue = (node: SourceNode, otherForm: ReadonlySet<SourceNode>): unknown => {
  if (node.kind === 'scalar') return otherForm.has(node) ? (node.textForm ?? node.plainForm) : node.value
  if (node.kind === 'list') return node.items.map((item) => toValue(item, otherForm))
  const value: Record<string, unknown> = Object.create(null)
  for (const [key, entry] of node.entries) value[key] = toValue(entry.value, otherForm)
  return value
}

/** Most aliases in one file. */
export const MAX_ALIASES = 100
/** Most values in a file after its aliases are expanded. */
const MAX_VALUES = 200_000

/** The environment of references, and the positions for messages. */
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
  /** Set when the file is a bomb; it is then the only finding. */
  refusal: Finding | undefined
}

/** Builds the tree of places and values from a document, fills in references and collects their faults. */
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
  if (built.depth > MAX_JSON_DEPTH)
    refuse(build, built, `nesting is deeper than ${MAX_JSON_DEPTH} levels, aliases included`)
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
  if (anchor !== undefined) build.anchors.set(anchor, built)
  return built
}

const buildOwn = (build: Build, node: unknown, path: Path): SourceNode => {
  if (isMap(node)) return buildMap(build, node, path)
  if (isSeq(node)) return buildList(build, node, path)
  return isScalar(node) ? buildScalar(build, node, path) : scalar({ offset: 0, end: 0 }, null)
}

/** An alias shares its anchor's node: a bomb costs one addition per alias and is refused without expansion. */
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
    // A key that is not a scalar is already a syntax fault.
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
  // As a key of a plain object this name would reach the prototype of every object.
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
  const base = { ...scalar(place, text), variables }
  if (!isOneReference(node.value)) return base
  const read = readCoreScalar(build.schema, text)
  if (plain) return { ...base, value: read, textForm: text }
  return typeof read === 'string' ? base : { ...base, plainForm: read }
}

const scalar = ({ offset, end }: Place, value: unknown): ScalarNode => ({
  kind: 'scalar',
  offset,
  end,
  size: 1,
  depth: 1,
  value,
  variables: [],
})

/** Reads a text as a plain YAML scalar, never as a collection; the empty text stays a text. */
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
