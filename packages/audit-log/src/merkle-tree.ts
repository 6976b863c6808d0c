import { hash } from 'node:crypto'

const NODE_PREFIX = 1
const HASH_BYTES = 32

/** The SHA-256 of some bytes. */
export function sha256(bytes: Buffer | string): Buffer {
  // Twice as fast as the output "buffer" of `hash`, which allocates outside the pool of small buffers.
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1')
}

/** The SHA-256 of some bytes in hex. */
export function sha256Hex(bytes: Buffer | string): string {
  return hash('sha256', bytes, 'hex')
}

/** The hash of a leaf (RFC 6962 2.1): SHA-256(0x00 || bytes). */
export function leafHash(bytes: Buffer): Buffer {
  const prefixed = Buffer.allocUnsafe(bytes.length + 1)
  prefixed[0] = 0
  bytes.copy(prefixed, 1)
  return sha256(prefixed)
}

/** The hash of an inner node (RFC 6962 2.1): SHA-256(0x01 || left || right). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  const prefixed = Buffer.allocUnsafe(1 + 2 * HASH_BYTES)
  prefixed[0] = NODE_PREFIX
  left.copy(prefixed, 1)
  right.copy(prefixed, 1 + HASH_BYTES)
  return sha256(prefixed)
}

/**
 * A tree that only grows. It keeps its right edge: the roots of the complete subtrees, the largest first. That is one hash
 * for each bit of its size that is set.
 */
export class TreeEdge {
  #size: number
  readonly #hashes: Buffer[]

  constructor(size = 0, hashes: readonly Buffer[] = []) {
    if (hashes.length !== bitsSet(size)) throw new RangeError(`a tree of ${size} leaves has another edge`)
    this.#size = size
    this.#hashes = [...hashes]
  }

  /** The number of leaves. */
  get size(): number {
    return this.#size
  }

  /** The hashes of the edge, the largest subtree first. */
  get hashes(): readonly Buffer[] {
    return this.#hashes
  }

  /** Adds the hash of a leaf. */
  append(leaf: Buffer): void {
    let root = leaf
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.#hashes.pop()
      if (left !== undefined) root = nodeHash(left, root)
    }
    this.#hashes.push(root)
    this.#size += 1
  }

  /** The root of the tree. */
  root(): Buffer {
    const [last, ...larger] = this.#hashes.toReversed()
    if (last === undefined) return sha256('')
    return larger.reduce((right, left) => nodeHash(left, right), last)
  }

  /** A copy that grows by itself. */
  copy(): TreeEdge {
    return new TreeEdge(this.#size, this.#hashes)
  }
}

function bitsSet(size: number): number {
  return size.toString(2).replaceAll('0', '').length
}

/** The size of the left part of a tree: the largest power of two below `size`. */
function leftSize(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1))
}

/** A tree with its leaves, from any leaf on: an edge stands for the leaves before. */
export class LeafTree {
  readonly #edge: TreeEdge
  readonly #leaves: readonly Buffer[]

  constructor(leaves: readonly Buffer[], edge = new TreeEdge()) {
    this.#leaves = leaves
    this.#edge = edge
  }

  /** The root of the first `size` leaves. */
  root(size: number): Buffer {
    return size === 0 ? sha256('') : this.#range(0, size)
  }

  /** The inclusion proof of a leaf in the first `size` leaves, from the leaf up (RFC 6962 2.1.1). */
  inclusionProof(index: number, size: number): Buffer[] {
    return this.#path(index, 0, size)
  }

  /** The proof that the first `former` leaves are the beginning of the first `size` leaves (RFC 6962 2.1.2). */
  consistencyProof(former: number, size: number): Buffer[] {
    return former === 0 ? [] : this.#subproof({ former, start: 0, end: size, isRoot: true })
  }

  #path(index: number, start: number, end: number): Buffer[] {
    if (end - start <= 1) return []
    const middle = start + leftSize(end - start)
    return index < middle
      ? [...this.#path(index, start, middle), this.#range(middle, end)]
      : [...this.#path(index, middle, end), this.#range(start, middle)]
  }

  #subproof({ former, start, end, isRoot }: Subproof): Buffer[] {
    if (former === end) return isRoot ? [] : [this.#range(start, end)]
    const middle = start + leftSize(end - start)
    return former <= middle
      ? [...this.#subproof({ former, start, end: middle, isRoot }), this.#range(middle, end)]
      : [...this.#subproof({ former, start: middle, end, isRoot: false }), this.#range(start, middle)]
  }

  #range(start: number, end: number): Buffer {
    const known = this.#known(start, end)
    if (known !== undefined) return known
    if (end - start <= 1) throw new RangeError(`the leaf ${start} is not known`)
    const middle = start + leftSize(end - start)
    return nodeHash(this.#range(start, middle), this.#range(middle, end))
  }

  #known(start: number, end: number): Buffer | undefined {
    const first = this.#edge.size
    if (start >= first) return end - start === 1 ? this.#leaves[start - first] : undefined
    let at = 0
    for (const root of this.#edge.hashes) {
      const size = largestPower(first - at)
      if (at === start && at + size === end) return root
      at += size
    }
    return undefined
  }
}

interface Subproof {
  readonly former: number
  readonly start: number
  readonly end: number
  readonly isRoot: boolean
}

function largestPower(size: number): number {
  return 2 ** Math.floor(Math.log2(size))
}

/** The place of a leaf in a tree. */
export interface LeafPlace {
  readonly index: number
  readonly size: number
}

/** The root that an inclusion proof leads to; `undefined` when the proof does not fit the place. */
export function rootOfInclusion(
  leaf: Buffer,
  { index, size }: LeafPlace,
  proof: readonly Buffer[],
): Buffer | undefined {
  if (index < 0 || index >= size) return undefined
  if (size === 1) return proof.length === 0 ? leaf : undefined
  const sibling = proof.at(-1)
  if (sibling === undefined) return undefined
  const left = leftSize(size)
  const rest = proof.slice(0, -1)
  if (index < left) {
    const root = rootOfInclusion(leaf, { index, size: left }, rest)
    return root && nodeHash(root, sibling)
  }
  const root = rootOfInclusion(leaf, { index: index - left, size: size - left }, rest)
  return root && nodeHash(sibling, root)
}

/** The size and the root of a tree. */
export interface TreeHead {
  readonly size: number
  readonly root: Buffer
}

/** Whether a consistency proof shows that `former` is the beginning of `later`. */
export function isConsistent(former: TreeHead, later: TreeHead, proof: readonly Buffer[]): boolean {
  if (former.size > later.size) return false
  if (former.size === 0) return proof.length === 0
  const roots = rootsOfConsistency({ former, size: later.size, isRoot: true }, proof)
  if (roots === undefined) return false
  return roots.former.equals(former.root) && roots.later.equals(later.root)
}

interface ConsistencyStep {
  readonly former: TreeHead
  readonly size: number
  readonly isRoot: boolean
}

interface Roots {
  readonly former: Buffer
  readonly later: Buffer
}

function rootsOfConsistency(
  { former, size, isRoot }: ConsistencyStep,
  proof: readonly Buffer[],
): Roots | undefined {
  if (former.size === size) {
    const root = isRoot ? former.root : proof[0]
    return root !== undefined && proof.length === (isRoot ? 0 : 1) ? { former: root, later: root } : undefined
  }
  const sibling = proof.at(-1)
  if (sibling === undefined) return undefined
  const left = leftSize(size)
  const rest = proof.slice(0, -1)
  if (former.size <= left) {
    const roots = rootsOfConsistency({ former, size: left, isRoot }, rest)
    return roots && { former: roots.former, later: nodeHash(roots.later, sibling) }
  }
  const right = { ...former, size: former.size - left }
  const roots = rootsOfConsistency({ former: right, size: size - left, isRoot: false }, rest)
  return roots && { former: nodeHash(sibling, roots.former), later: nodeHash(sibling, roots.later) }
}
