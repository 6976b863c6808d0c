import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { docLinks } from './doc-links.ts'

const guide = `# Guide

## What's in \`the box\`, and why
## Notes
## Notes
<a id="by-hand"></a>
`

function faultsOf(readme: string): string[] {
  const root = temporaryTree({ 'README.md': readme, 'docs/guide.md': guide, 'docs/a b.txt': '' })
  return docLinks(root).map(formatFault)
}

test.each([
  '[a](docs/guide.md)',
  '[a](docs/) and ![b](./docs/a%20b.txt "title")',
  '[a](docs/guide.md#whats-in-the-box-and-why)',
  '[a](docs/guide.md#notes-1) [b](docs/guide.md#by-hand)',
  '# Top\n[a](#top)',
  '[a][b]\n\n[b]: docs/guide.md "title"',
  '[a](https://example.com/x#y) <mailto:a@example.com> [b](mailto:a@example.com)',
  '```md\n[a](missing.md)\n```\nand `[b](missing.md)` <!-- [c](missing.md) -->',
])('%j has no broken link', (readme) => {
  expect(faultsOf(readme)).toEqual([])
})

test.each([
  ['x\n[a](docs/missing.md)', 2, 'link docs/missing.md points at nothing'],
  ['[a](docs/guide.md#missing)', 1, 'link docs/guide.md#missing names an anchor that is not there'],
  ['[a](#missing)', 1, 'link #missing names an anchor that is not there'],
  ['[a][b]\n\n[b]: missing.md', 3, 'link missing.md points at nothing'],
  ['<img src="missing.png">', 1, 'link missing.png points at nothing'],
  ['[a](../outside.md)', 1, 'link ../outside.md leaves the repository'],
  ['[a](/docs/guide.md)', 1, 'link /docs/guide.md leaves the repository'],
  ['```\ncode\n```\n[a](missing.md)', 4, 'link missing.md points at nothing'],
])('%j has a broken link', (readme, line, message) => {
  expect(faultsOf(readme)).toEqual([`README.md:${line}: ${message}`])
})

test('a link is resolved relative to its page', () => {
  const root = temporaryTree({
    'README.md': '',
    'docs/a.md': '[up](../README.md) [side](b.md)',
    'docs/b.md': '[wrong](docs/a.md)',
  })
  expect(docLinks(root).map(formatFault)).toEqual(['docs/b.md:1: link docs/a.md points at nothing'])
})
