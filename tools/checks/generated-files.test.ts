import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { fillSection, type Generator, jsonText, markdownTable } from '../generated.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { generatedFiles } from './generated-files.ts'

const generators: readonly Generator[] = [
  { type: 'file', path: 'a.json', content: () => jsonText({ a: 1 }) },
  { type: 'folder', path: 'made', content: async () => ({ 'b.json': '{}\n' }) },
  { type: 'section', name: 'table', pages: ['README.md'], content: () => 'new' },
]

const fresh = {
  'a.json': '{\n  "a": 1\n}\n',
  'made/b.json': '{}\n',
  'README.md': '# A\n\n<!-- generated: table -->\nnew\n<!-- /generated -->\n',
}

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  return (await generatedFiles(temporaryTree(files), generators)).map(formatFault)
}

test('up-to-date files and sections are clean', async () => {
  expect(await faultsOf(fresh)).toEqual([])
})

test.each(['a.json', 'made/b.json'])('%s with other content is stale', async (path) => {
  expect(await faultsOf({ ...fresh, [path]: 'old' })).toEqual([`${path}:1: stale, run npm run generate`])
})

test('a missing generated file is stale', async () => {
  const { 'a.json': _, ...rest } = fresh
  expect(await faultsOf(rest)).toEqual(['a.json:1: stale, run npm run generate'])
})

test('a section with other content is stale', async () => {
  const page = fresh['README.md'].replace('new', 'old')
  expect(await faultsOf({ ...fresh, 'README.md': page })).toEqual([
    'README.md:1: stale, run npm run generate',
  ])
})

test('a page without its section is a fault', async () => {
  expect(await faultsOf({ ...fresh, 'README.md': '# A\n' })).toEqual([
    'README.md:1: has no <!-- generated: table --> section',
  ])
})

test('a section without a generator is a fault', async () => {
  const page = `${fresh['README.md']}\n<!-- generated: gone -->\n<!-- /generated -->\n`
  expect(await faultsOf({ ...fresh, 'README.md': page })).toEqual([
    'README.md:7: nothing generates section "gone" of this page',
  ])
})

test('a file without a generator in a generated folder is a fault', async () => {
  expect(await faultsOf({ ...fresh, 'made/c.json': '{}' })).toEqual([
    'made/c.json:1: nothing generates this file: remove it',
  ])
})

test('filling a section a second time changes nothing', () => {
  const once = fillSection('x\n<!-- generated: t -->\n<!-- /generated -->\ny', 't', '\nbody\n')
  expect(once).toBe('x\n<!-- generated: t -->\nbody\n<!-- /generated -->\ny')
  expect(fillSection(once ?? '', 't', 'body')).toBe(once)
})

test('two sections of one page are both filled', async () => {
  const root = temporaryTree({
    'p.md': '<!-- generated: a -->\n1\n<!-- /generated -->\n<!-- generated: b -->\n2\n<!-- /generated -->\n',
  })
  const sections: Generator[] = ['a', 'b'].map((name, index) => ({
    type: 'section',
    name,
    pages: ['p.md'],
    content: () => String(index + 1),
  }))
  expect(await generatedFiles(root, sections)).toEqual([])
})

test('a table has one line per row', () => {
  expect(markdownTable(['A', 'B'], [['1', '2']])).toBe('| A | B |\n| --- | --- |\n| 1 | 2 |')
})
