import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatFaults, loadPlugins, parseConfig } from '@agentic-rest/gateway'
import { expect, test } from 'vitest'
import { fencedBlocks } from '../tools/markdown.ts'
import { repositoryRoot } from '../tools/packed-packages.ts'
import { listFiles } from '../tools/repo-files.ts'
import { documentedPages } from './documented-code.ts'

interface Example {
  readonly place: string
  readonly text: string
}

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

/** The configuration files of gateways in documents and examples. */
const files: readonly Example[] = listFiles(repositoryRoot, [
  'docs/examples/*.yaml',
  'examples/**/*gateway*.yaml',
]).map((path) => ({ place: path, text: read(path) }))

/** Blocks marked `yaml` are whole configurations; parts are marked `yaml part`. */
const blocks: readonly Example[] = documentedPages(repositoryRoot).flatMap((page) =>
  fencedBlocks(read(page))
    .filter(({ info }) => info === 'yaml')
    .map(({ text, line }) => ({ place: `${page}:${line}`, text })),
)

/** A value for every variable of a text, long enough for a secret. */
function environmentFor(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)[}:]/g)].map(([, name = '']) => name)
  const withDefault = new Set([...text.matchAll(/\$\{([A-Za-z_]\w*):-/g)].map(([, name]) => name))
  const needed = names.filter((name) => !withDefault.has(name))
  return Object.fromEntries(needed.map((name) => [name, 'a-value-of-at-least-thirty-two-characters']))
}

test('there are examples', () => {
  expect(files.map(({ place }) => place)).toContain('docs/examples/minimal-gateway.yaml')
  expect(blocks.map(({ place }) => place.split(':')[0])).toContain('docs/configuration.md')
})

test.each(files)('the plugins of $place can be loaded', async ({ place, text }) => {
  const file = join(repositoryRoot, place)
  const result = await loadPlugins(parseConfig(text, { file, env: environmentFor(text) }))
  expect(result.ok ? '' : formatFaults(result.faults)).toBe('')
})

test.each([...files, ...blocks])('$place is a valid configuration without warnings', ({ place, text }) => {
  const result = parseConfig(text, { file: place, env: environmentFor(text) })
  expect(result.ok ? '' : formatFaults(result.faults)).toBe('')
  expect(result).toMatchObject({ ok: true, warnings: [] })
})
