import { expect, it } from 'vitest'
import { isConsistent, LeafTree, leafHash, rootOfInclusion, TreeEdge } from './merkle-tree.ts'

// The leaves and roots of the test vectors that the implementations of RFC 6962 share.
const inputs = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const leaves = inputs.map((hex) => leafHash(Buffer.from(hex, 'hex')))

it('has the roots of RFC 6962, with the edge alone and with all leaves', () => {
  const edge = new TreeEdge()
  const tree = new LeafTree(leaves)
  for (const [size, root] of roots.entries()) {
    expect(edge.root().toString('hex')).toBe(root)
    expect(tree.root(size).toString('hex')).toBe(root)
    const leaf = leaves[size]
    if (leaf !== undefined) edge.append(leaf)
  }
  expect(edge.hashes).toHaveLength(1)
})

const many = Array.from({ length: 37 }, (_, n) => leafHash(Buffer.from(`line ${n}`)))

/** The tree whose first leaves are known by their edge only. */
function treeFrom(start: number): LeafTree {
  const edge = new TreeEdge()
  for (const leaf of many.slice(0, start)) edge.append(leaf)
  return new LeafTree(many.slice(start), edge)
}

it('proves every leaf of every size, also from the edge of an earlier size', () => {
  const whole = new LeafTree(many)
  for (const start of [0, 1, 5, 21]) {
    const tree = treeFrom(start)
    for (let size = start + 1; size <= many.length; size += 3) {
      for (let index = start; index < size; index += 1) {
        const proof = tree.inclusionProof(index, size)
        const leaf = many[index] ?? Buffer.alloc(0)
        expect(rootOfInclusion(leaf, { index, size }, proof)).toEqual(whole.root(size))
      }
    }
  }
})

it('accepts no proof of another place, leaf or length', () => {
  const tree = new LeafTree(many)
  const [leaf = Buffer.alloc(0), other = Buffer.alloc(0)] = many
  const proof = tree.inclusionProof(0, 37)
  const root = tree.root(37)
  expect(rootOfInclusion(other, { index: 0, size: 37 }, proof)).not.toEqual(root)
  expect(rootOfInclusion(leaf, { index: 1, size: 37 }, proof)).not.toEqual(root)
  expect(rootOfInclusion(leaf, { index: 0, size: 37 }, proof.slice(1))).toBeUndefined()
  expect(rootOfInclusion(leaf, { index: 0, size: 37 }, [...proof, root])).not.toEqual(root)
  expect(rootOfInclusion(leaf, { index: 37, size: 37 }, proof)).toBeUndefined()
})

it('proves that each size begins with each earlier one, and nothing else', () => {
  const tree = new LeafTree(many)
  for (let size = 1; size <= many.length; size += 1) {
    for (let former = 1; former <= size; former += 2) {
      const proof = tree.consistencyProof(former, size)
      const heads = [
        { size: former, root: tree.root(former) },
        { size, root: tree.root(size) },
      ] as const
      expect(isConsistent(...heads, proof)).toBe(true)
      const forged = { size, root: leafHash(heads[1].root) }
      expect(isConsistent(heads[0], forged, proof)).toBe(false)
      expect(isConsistent({ size: former, root: forged.root }, heads[1], proof)).toBe(false)
    }
  }
})

it('takes no edge of another size', () => {
  expect(() => new TreeEdge(3, [leafHash(Buffer.alloc(0))])).toThrow('another edge')
})
