import type { Path } from '../faults.ts'

/** A value of the file with its place in the text. */
export type SourceNode = ScalarNode | MapNode | ListNode

/** A stretch of the text. */
export interface Place {
  readonly offset: number
  readonly end: number
}

interface NodeBase extends Place {
  /** Values in this one, itself included, aliases replaced. */
  readonly size: number
  /** Levels of nesting, aliases replaced. */
  readonly depth: number
}

/** A text, number, boolean or null. */
export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar'
  readonly value: unknown
  /** The value as text, when reading a reference as YAML made it something else. */
  readonly textForm?: string
  /** Variables the value was made of; such a value is never shown. */
  readonly variables: readonly string[]
  readonly quoted: boolean
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

/** Stands for a value whose reference could not be resolved: present, but already a fault. */
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

/** The place of the key at a path, where it is a map's key; else the place of the value. */
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

/** For something that is missing: the place of the nearest key above it that exists. */
export const parentPlaceAt = (root: SourceNode, path: Path): Place => {
  for (let length = path.length - 1; length > 0; length--) {
    const place = keyPlaceAt(root, path.slice(0, length))
    if (place !== undefined) return place
  }
  return { offset: 0, end: 0 }
}

/** The place of what is at a path, or of the nearest key above it where there is nothing. */
export const placeAt = (root: SourceNode, path: Path): Place =>
  valuePlaceAt(root, path) ?? parentPlaceAt(root, path)

/** The plain value of a node; scalars in `asText` give their text form. Maps have no prototype. */
export const toValue = (node: SourceNode, asText: ReadonlySet<SourceNode>): unknown => {
  if (node.kind === 'scalar') return asText.has(node) ? node.textForm : node.value
  if (node.kind === 'list') return node.items.map((item) => toValue(item, asText))
  const value: Record<string, unknown> = Object.create(null)
  for (const [key, entry] of node.entries) value[key] = toValue(entry.value, asText)
  return value
}
