import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { docMap } from './doc-map.ts'

const pages = {
  'docs/a.md': '',
  'docs/deep/b.md': '',
  'docs/decisions/README.md': '',
  'docs/decisions/0001-x.md': '',
  'README.md': '',
}

test('a map with every page once is in order; decision records have their own index', () => {
  const map =
    '[A](a.md)\n[B](deep/b.md)\n[Decisions](decisions/README.md), [up](../README.md), [web](https://a.b/c.md)'
  expect(docMap(temporaryTree({ ...pages, 'docs/README.md': map }))).toEqual([])
})

test('a page that is missing or listed twice is a fault', () => {
  const map = '[A](a.md)\n[Decisions](decisions/README.md)\n[A again](a.md)'
  expect(docMap(temporaryTree({ ...pages, 'docs/README.md': map }))).toEqual([
    { path: 'docs/README.md', line: 3, message: 'lists docs/a.md a second time' },
    { path: 'docs/deep/b.md', line: 1, message: 'is not listed in docs/README.md' },
  ])
})

test('a repository without a map is told so', () => {
  expect(docMap(temporaryTree(pages))).toEqual([{ path: 'docs/README.md', line: 1, message: 'is not there' }])
})
