import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outcomes, outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { generators } from './generators.ts'
import { runScript, scriptTree } from './script-tree.ts'

const repository = join(import.meta.dirname, '..')

/** All pages with generated sections, each section empty. */
function emptyPages(): Record<string, string> {
  const pages = new Map<string, string>()
  for (const generator of generators) {
    for (const path of generator.type === 'section' ? generator.pages : []) {
      const section = `<!-- generated: ${generator.type === 'section' ? generator.name : ''} -->\n<!-- /generated -->\n`
      pages.set(path, `${pages.get(path) ?? '# Page\n'}\n${section}`)
    }
  }
  return Object.fromEntries(pages)
}

test('npm run generate fills the pages and files, and writes nothing the second time', () => {
  const root = scriptTree(emptyPages())
  expect(runScript(root, 'generate').stdout.split('\n')).toEqual(
    expect.arrayContaining(Object.keys(emptyPages()).map((page) => `wrote ${page}`)),
  )
  const filled = readFileSync(join(root, 'README.md'), 'utf8')
  for (const type of outcomeTypes) {
    const { status, mediaType } = outcomes[type]
    expect(filled).toContain(`| \`${type}\` | ${status} | \`${mediaType}\` |`)
  }
  expect(filled.match(/^\| `\w+` \| \d{3} /gm)).toHaveLength(outcomeTypes.length)
  const again = runScript(root, 'generate')
  expect(again).toMatchObject({ status: 0 })
  expect(again.stdout).toMatch(/^\d+ generated files, 0 written\n$/)
  expect(JSON.parse(readFileSync(join(root, 'packages/profile/openapi/v0.3.json'), 'utf8'))).toHaveProperty(
    'components.responses',
  )
})

test('npm run generate tells a page that lost its section, and writes the rest', () => {
  const root = scriptTree({ ...emptyPages(), 'docs/decisions/README.md': '# Page\n' })
  const ended = runScript(root, 'generate')
  expect(ended).toMatchObject({
    status: 1,
    stderr: 'docs/decisions/README.md:1: has no <!-- generated: decisions --> section\n',
  })
  expect(readFileSync(join(root, 'docs/profile.md'), 'utf8')).toContain('| `success` |')
})

test('npm run format formats', () => {
  const root = scriptTree({
    'a.ts': 'export  const a=1;',
    'biome.json': readFileSync(join(repository, 'biome.json'), 'utf8'),
    '.gitignore': 'tools\nnode_modules\n',
  })
  expect(runScript(root, 'format').status).toBe(0)
  expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('export const a = 1\n')
})
